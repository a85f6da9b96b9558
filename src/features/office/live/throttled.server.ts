/** Returns a function that does `act` at once, and then at most every `ms`: what is asked for meanwhile is done once. */
export function throttled(act: () => void, ms: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isAskedFor = false;
  return function run(): void {
    if (timer) {
      isAskedFor = true;
      return;
    }
    timer = setTimeout(() => {
      timer = undefined;
      if (isAskedFor) run();
    }, ms).unref();
    isAskedFor = false;
    act();
  };
}
