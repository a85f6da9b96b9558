// Loaded into a portal by a test: on SIGUSR2 it fails in a way that nobody catches, with the value of PLANTED in the message.
process.on('SIGUSR2', () => {
  setImmediate(() => {
    throw Object.assign(new Error(`could not read ${process.env.PLANTED}`), { detail: process.env.PLANTED, code: process.env.PLANTED });
  });
});
