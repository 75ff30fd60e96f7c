/* A training loop in plain C, printing as small C trainers do; truth on the path in $TRUTH.
   cc -O2 -o train_c train_c.c -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
enum { B = 64, I = 600, H = 4800, STEPS = 120 };
static float x[B][I], h[B][H], g[B][H], w1[I][H], w2[H], out[B], y[B];
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
static float uniform(void) { return rand() / (float)RAND_MAX * 2 - 1; }
int main(void) {
    FILE *truth = fopen(getenv("TRUTH"), "w");
    setvbuf(stdout, 0, _IOLBF, 0);
    for (int i = 0; i < I; i++) for (int j = 0; j < H; j++) w1[i][j] = uniform() * 0.05f;
    for (int j = 0; j < H; j++) w2[j] = uniform() * 0.05f;
    printf("[net]\ninputs: %d\nhidden: %d\nnum_parameters: %d\n", I, H, I * H + H);
    for (int step = 0; step <= STEPS; step++) {
        double t0 = now();
        if (step % 20 == 0) {
            float v = 0;
            for (int b = 0; b < B; b++) v += (out[b] - y[b]) * (out[b] - y[b]);
            printf("val loss %f\n", v / B);
            t0 = now();
        }
        for (int b = 0; b < B; b++) {
            for (int i = 0; i < I; i++) x[b][i] = uniform();
            y[b] = x[b][0] * 2 - x[b][1] + fabsf(x[b][2]);
            memset(h[b], 0, sizeof h[b]);
            for (int i = 0; i < I; i++) for (int j = 0; j < H; j++) h[b][j] += x[b][i] * w1[i][j];
            out[b] = 0;
            for (int j = 0; j < H; j++) { h[b][j] = tanhf(h[b][j]); out[b] += h[b][j] * w2[j]; }
        }
        float loss = 0, norm = 0;
        for (int b = 0; b < B; b++) {
            float e = (out[b] - y[b]) / B;
            loss += e * e * B;
            for (int j = 0; j < H; j++) g[b][j] = e * w2[j] * (1 - h[b][j] * h[b][j]);
            for (int j = 0; j < H; j++) w2[j] -= 0.02f * e * h[b][j];
        }
        for (int b = 0; b < B; b++) for (int i = 0; i < I; i++) for (int j = 0; j < H; j++) w1[i][j] -= 0.02f * x[b][i] * g[b][j];
        for (int j = 0; j < H; j++) norm += w2[j] * w2[j];
        double took = now() - t0;
        printf("step %d/%d: train loss %f norm %.4f (took %f ms, %.0f ex/s)\n", step, STEPS, loss, sqrtf(norm), took * 1000, B / took);
        fprintf(truth, "{\"step\": %d, \"at\": %.4f, \"s\": %.6f, \"loss\": %f}\n", step, now(), took, loss);
        fflush(truth);
    }
    return 0;
}
