// Preloaded into a portal: throws an uncaught error on SIGUSR2, with the value of PLANTED in its message.
process.on('SIGUSR2', () => {
  setImmediate(() => {
    throw Object.assign(new Error(`could not read ${process.env.PLANTED}`), {
      detail: process.env.PLANTED,
      code: process.env.PLANTED,
    });
  });
});
