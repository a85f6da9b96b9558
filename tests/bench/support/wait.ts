/** Waits, where the thing measured is what happens in time. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds); // eslint-disable-line portal/no-sleeping -- a benchmark measures time; nothing is asserted
  });
