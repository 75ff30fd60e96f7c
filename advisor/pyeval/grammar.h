// One node of a flattened syntax tree.
#include <stdint.h>

typedef struct {
	uint32_t start, end; // bytes
	uint32_t row;        // from 0
	uint16_t kind, field;
	uint16_t depth;
	uint16_t named;
} sm_record;

typedef struct {
	sm_record *records;
	uint32_t count;
	int32_t failed; // no tree, or no memory
} sm_flat;

// sm_parse parses a text and lists its nodes, parents before children, leaving
// out what lies deeper than nesting and tokens without a name or a role that
// stand outside of slices. The caller frees the records.
sm_flat sm_parse(const void *language, const char *text, uint32_t length, uint32_t nesting, uint32_t limit, uint16_t slice);
void sm_free(sm_flat flat);
void sm_use_libc(void);
const char *sm_kind_name(const void *language, uint16_t kind);
const char *sm_field_name(const void *language, uint16_t field);
uint32_t sm_kinds(const void *language);
uint32_t sm_fields(const void *language);
