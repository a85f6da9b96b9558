import { useEffect, useState } from 'react';

/** How long to wait before a part is loaded again, in ms. */
const RETRY = 5000;

/**
 * A part of the editor that is loaded when it is first needed, so that the first touch loads less; undefined before. Without
 * a connection it is loaded as soon as there is one.
 */
export function useLoaded<Part>(isNeeded: boolean, load: () => Promise<Part>): Part | undefined {
  const [part, setPart] = useState<{ loaded: Part }>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (!isNeeded || part) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    load().then(
      (loaded) => setPart({ loaded }),
      () => (timer = setTimeout(() => setAttempt(attempt + 1), RETRY)),
    );
    return () => clearTimeout(timer);
  }, [isNeeded, attempt]);
  return part?.loaded;
}
