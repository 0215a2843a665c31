/* Members in lanes by hand: double pendulums by RATTLE, and Kepler's problem by velocity Verlet.

   `by_hand MODEL H STEPS GROUPS`: the processor time of a step of a member in ns, and a sum of the ends. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LANES 8
typedef double lanes __attribute__((vector_size(8 * LANES)));

typedef long mask __attribute__((vector_size(8 * LANES)));

/* True if a number lies outside of ±1e-14. */
static int is_far(lanes x, lanes y) {
    lanes zero = {0}, far = zero + 1e-14;
    mask all = (x > far) | (x < -far) | (y > far) | (y < -far);
    long any = 0;
    for (int k = 0; k < LANES; k++) any |= all[k];
    return any != 0;
}

static lanes root(lanes x) {
    lanes y;
    for (int k = 0; k < LANES; k++) y[k] = sqrt(x[k]);
    return y;
}

/* Two points of masses 1/w on rods whose lengths have the squares a and b. */
typedef struct {
    lanes q[4], v[4], x[2], g[4], w[2], a, b;
} pendulums;

/* The rows of G, less a factor of two: along the upper rod, and along the lower one. */
static void rows(const lanes *q, lanes *g) {
    g[0] = q[0], g[1] = q[1], g[2] = q[2] - q[0], g[3] = q[3] - q[1];
}

/* y += M⁻¹ Gᵀ x */
static void push(const pendulums *p, const lanes *x, lanes *y) {
    const lanes *g = p->g;
    y[0] += p->w[0] * (g[0] * x[0] - g[2] * x[1]);
    y[1] += p->w[0] * (g[1] * x[0] - g[3] * x[1]);
    y[2] += p->w[1] * g[2] * x[1];
    y[3] += p->w[1] * g[3] * x[1];
}

/* x with G M⁻¹ Gᵀ x = r, by the matrix s of the foot */
static void solve(const lanes *s, lanes r0, lanes r1, lanes *x) {
    x[0] = s[3] * (s[2] * r0 - s[1] * r1);
    x[1] = s[3] * (s[0] * r1 - s[1] * r0);
}

static void factor(const pendulums *p, lanes *s) {
    const lanes *g = p->g;
    s[0] = p->w[0] * (g[0] * g[0] + g[1] * g[1]);
    s[1] = -p->w[0] * (g[0] * g[2] + g[1] * g[3]);
    s[2] = (p->w[0] + p->w[1]) * (g[2] * g[2] + g[3] * g[3]);
    s[3] = 1.0 / (s[0] * s[2] - s[1] * s[1]);
}

static void rattle(pendulums *p, double h, int steps) {
    lanes s[4];
    factor(p, s);
    for (int step = 0; step < steps; step++) {
        lanes q[4], x[2] = {p->x[0], p->x[1]};
        for (int k = 0; k < 4; k++) {
            if (k % 2) p->v[k] -= 0.5 * h;
            q[k] = p->q[k] + h * p->v[k];
        }
        push(p, x, q);
        for (int iteration = 0; iteration < 50; iteration++) {
            lanes g[4], y[2];
            rows(q, g);
            lanes r0 = 0.5 * (p->a - g[0] * g[0] - g[1] * g[1]), r1 = 0.5 * (p->b - g[2] * g[2] - g[3] * g[3]);
            if (!is_far(r0, r1)) break;
            solve(s, r0, r1, y);
            push(p, y, q);
            x[0] += y[0], x[1] += y[1];
        }
        p->x[0] = x[0], p->x[1] = x[1];
        x[0] *= 1.0 / h, x[1] *= 1.0 / h;
        push(p, x, p->v);
        memcpy(p->q, q, sizeof q);
        rows(q, p->g);
        factor(p, s);
        p->v[1] -= 0.5 * h, p->v[3] -= 0.5 * h;
        const lanes *g = p->g, *v = p->v;
        solve(s, -(g[0] * v[0] + g[1] * v[1]), -(g[2] * (v[2] - v[0]) + g[3] * (v[3] - v[1])), x);
        push(p, x, p->v);
    }
}

static double pendulum(double h, int steps, int first) {
    pendulums p = {0};
    for (int k = 0; k < LANES; k++) {
        double mass = 1.0 + 0.01 * ((first + k) % 50);
        p.w[0][k] = 1.0 / mass, p.w[1][k] = 1.0, p.a[k] = 1.0, p.b[k] = 2.0;
        p.q[0][k] = 0.0, p.q[1][k] = -1.0, p.q[2][k] = 1.0, p.q[3][k] = -2.0;
    }
    rows(p.q, p.g);
    rattle(&p, h, steps);
    double sum = 0.0;
    for (int k = 0; k < LANES; k++) sum += p.q[2][k];
    return sum;
}

static double kepler(double h, int steps, int first) {
    lanes q[2], v[2], f[2], m;
    for (int k = 0; k < LANES; k++) {
        q[0][k] = 0.6, q[1][k] = 0.0, v[0][k] = 0.0, v[1][k] = 1.5, m[k] = 1.0 + 0.01 * ((first + k) % 50);
    }
    for (int step = -1; step < steps; step++) {
        if (step >= 0)
            for (int k = 0; k < 2; k++) v[k] += 0.5 * h * f[k], q[k] += h * v[k];
        lanes square = q[0] * q[0] + q[1] * q[1], factor = -m / (square * root(square));
        for (int k = 0; k < 2; k++) {
            f[k] = factor * q[k];
            if (step >= 0) v[k] += 0.5 * h * f[k];
        }
    }
    double sum = 0.0;
    for (int k = 0; k < LANES; k++) sum += q[0][k];
    return sum;
}

int main(int count, char **words) {
    if (count != 5) return 2;
    double h = atof(words[2]), sum = 0.0;
    int steps = atoi(words[3]), groups = atoi(words[4]);
    double (*run)(double, int, int) = strcmp(words[1], "kepler") ? pendulum : kepler;
    clock_t begin = clock();
    for (int group = 0; group < groups; group++) sum += run(h, steps, LANES * group);
    double used = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("%.17g %.17g\n", 1e9 * used / ((double)steps * groups * LANES), sum);
    return 0;
}
