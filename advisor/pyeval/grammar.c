// clock_gettime is not part of plain C.
#define _POSIX_C_SOURCE 200809L

// The walk over a syntax tree in one call: crossing from Go to C for every node
// costs several times more than parsing does (measured on a model zoo).
//
// The functions of tree-sitter are those of the Go module that wraps it, which
// links them in but does not export their header; they are declared here as
// that header does, and weakly, so that this package links on its own.

#include "grammar.h"
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

typedef struct TSTree TSTree;
typedef struct TSParser TSParser;
typedef struct {
	uint32_t context[4];
	const void *id;
	const TSTree *tree;
} TSNode;
typedef struct {
	const void *tree;
	const void *id;
	uint32_t context[3];
} TSTreeCursor;
typedef struct {
	uint32_t row, column;
} TSPoint;

typedef struct {
	void *payload;
	const char *(*read)(void *payload, uint32_t byte, TSPoint position, uint32_t *bytes_read);
	int encoding; // 0: UTF-8
	uint32_t (*decode)(const uint8_t *text, uint32_t length, int32_t *code_point);
} TSInput;
typedef struct {
	void *payload;
	uint32_t current_byte_offset;
	bool has_error;
} TSParseState;
typedef struct {
	void *payload;
	bool (*progress_callback)(TSParseState *state);
} TSParseOptions;

#define LIB extern __attribute__((weak))
LIB void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));
LIB TSParser *ts_parser_new(void);
LIB void ts_parser_delete(TSParser *);
LIB bool ts_parser_set_language(TSParser *, const void *);
LIB TSTree *ts_parser_parse_with_options(TSParser *, const TSTree *, TSInput, TSParseOptions);
LIB void ts_tree_delete(TSTree *);
LIB TSNode ts_tree_root_node(const TSTree *);
LIB TSTreeCursor ts_tree_cursor_new(TSNode);
LIB void ts_tree_cursor_delete(TSTreeCursor *);
LIB TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
LIB uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
LIB bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
LIB bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
LIB bool ts_tree_cursor_goto_parent(TSTreeCursor *);
LIB uint16_t ts_node_symbol(TSNode);
LIB uint32_t ts_node_start_byte(TSNode);
LIB uint32_t ts_node_end_byte(TSNode);
LIB TSPoint ts_node_start_point(TSNode);
LIB bool ts_node_is_named(TSNode);
LIB const char *ts_language_symbol_name(const void *, uint16_t);
LIB const char *ts_language_field_name_for_id(const void *, uint16_t);
LIB uint32_t ts_language_symbol_count(const void *);
LIB uint32_t ts_language_field_count(const void *);

// The Go module routes every allocation through Go; the C library's own
// functions do the same work without the crossing.
void sm_use_libc(void) { ts_set_allocator(NULL, NULL, NULL, NULL); }

const char *sm_kind_name(const void *language, uint16_t kind) { return ts_language_symbol_name(language, kind); }
const char *sm_field_name(const void *language, uint16_t field) { return ts_language_field_name_for_id(language, field); }
uint32_t sm_kinds(const void *language) { return ts_language_symbol_count(language); }
uint32_t sm_fields(const void *language) { return ts_language_field_count(language); }
void sm_free(sm_flat flat) { free(flat.records); }

static bool grow(sm_flat *flat, uint32_t *room) {
	if (flat->count < *room) return true;
	uint32_t more = *room ? *room * 2 : 1024;
	sm_record *grown = realloc(flat->records, (size_t)more * sizeof(sm_record));
	if (!grown) return false;
	flat->records = grown;
	*room = more;
	return true;
}

static void walk(sm_flat *flat, TSTreeCursor *at, uint32_t nesting, uint32_t limit, uint16_t slice) {
	uint32_t room = 0, depth = 0;
	uint16_t parents[1024];
	if (nesting >= 1024) nesting = 1023;
	for (;;) {
		TSNode node = ts_tree_cursor_current_node(at);
		uint16_t field = ts_tree_cursor_current_field_id(at), kind = ts_node_symbol(node);
		bool named = ts_node_is_named(node);
		bool down = false;
		if (named || field || (depth && parents[depth - 1] == slice)) {
			if (flat->count >= limit || !grow(flat, &room)) {
				flat->failed = 1;
				return;
			}
			sm_record *r = &flat->records[flat->count++];
			r->start = ts_node_start_byte(node);
			r->end = ts_node_end_byte(node);
			r->row = ts_node_start_point(node).row;
			r->kind = kind, r->field = field, r->depth = depth, r->named = named;
			down = depth < nesting && ts_tree_cursor_goto_first_child(at);
		}
		if (down) {
			parents[depth++] = kind;
			continue;
		}
		while (!ts_tree_cursor_goto_next_sibling(at)) {
			if (depth == 0 || !ts_tree_cursor_goto_parent(at)) return;
			depth--;
		}
	}
}

typedef struct {
	const char *text;
	uint32_t length;
	double until; // seconds of this thread's processor time
} sm_source;

static double spent(void) {
	struct timespec now;
	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)) return 0;
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static const char *read_source(void *payload, uint32_t byte, TSPoint position, uint32_t *bytes_read) {
	sm_source *source = payload;
	(void)position;
	*bytes_read = byte < source->length ? source->length - byte : 0;
	return source->text + (byte < source->length ? byte : source->length);
}

// The parser asks after every hundred of its operations whether to stop.
static bool out_of_time(TSParseState *state) { return spent() > ((sm_source *)state->payload)->until; }

sm_flat sm_parse(const void *language, const char *text, uint32_t length, uint32_t nesting, uint32_t limit, uint16_t slice) {
	sm_flat flat = {NULL, 0, 1};
	TSParser *parser = ts_parser_new();
	if (!parser) return flat;
	// Real code is parsed at some 3 MB/s; broken text may take time that grows
	// with its square.
	sm_source source = {text, length, spent() + 0.3 + length * 6e-7};
	TSInput input = {&source, read_source, 0, NULL};
	TSParseOptions options = {&source, out_of_time};
	TSTree *tree = ts_parser_set_language(parser, language) ? ts_parser_parse_with_options(parser, NULL, input, options) : NULL;
	if (tree) {
		flat.failed = 0;
		TSTreeCursor at = ts_tree_cursor_new(ts_tree_root_node(tree));
		walk(&flat, &at, nesting, limit, slice);
		ts_tree_cursor_delete(&at);
		ts_tree_delete(tree);
	}
	ts_parser_delete(parser);
	return flat;
}
