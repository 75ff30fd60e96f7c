// brain.js in Node: 'iterations: 10, training error: 0.02' each 10 iterations.
const fs = require("fs"), brain = require("brain.js");
const out = fs.openSync(process.env.TRUTH, "w");
const data = [];
for (let i = 0; i < 900; i++) {
  const x = Array.from({ length: 60 }, Math.random);
  data.push({ input: x, output: [x[0] * x[1] > 0.25 ? 1 : 0] });
}
let last = process.hrtime.bigint();
new brain.NeuralNetwork({ hiddenLayers: [60, 30] }).train(data, {
  iterations: 250, errorThresh: 1e-9, log: true, logPeriod: 10, learningRate: 0.05, callbackPeriod: 1,
  callback: (s) => {
    const now = process.hrtime.bigint();
    fs.writeSync(out, JSON.stringify({ step: s.iterations, s: Number(now - last) / 1e9, at: Date.now() / 1000, loss: s.error }) + "\n");
    last = now;
  },
});
