/* A library with the names of HiGHS and none of its abilities. VERSION and BYTES
   are what it says of itself, RUN is what it does when it should solve; with NO_RUN
   it has no function for that. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef VERSION
#define VERSION "1.10.0"
#endif
#ifndef BYTES
#define BYTES 4
#endif
#ifndef RUN
#define RUN return 0;
#endif

typedef int32_t number;

const char *Highs_version(void) { return VERSION; }
number Highs_getSizeofHighsInt(const void *highs) { return BYTES; }
#ifdef CREATES
void *Highs_create(void) { return malloc(1); }
#else
void *Highs_create(void) { return 0; }
#endif
void Highs_destroy(void *highs) {}
number Highs_passMip(void) { return 0; }
number Highs_setBoolOptionValue(void) { return 0; }
number Highs_setIntOptionValue(void) { return 0; }
number Highs_setDoubleOptionValue(void) { return 0; }
number Highs_setStringOptionValue(void) { return 0; }
number Highs_setSolution(void) { return 0; }
#ifndef NO_RUN
number Highs_run(void) { RUN }
#endif
number Highs_getModelStatus(void) { return 7; }
number Highs_getIntInfoValue(const void *highs, const char *name, number *value) { *value = 2; return 0; }
number Highs_getDoubleInfoValue(void) { return 0; }
number Highs_getSolution(void) { return -1; }
void Highs_resetGlobalScheduler(void) {}
