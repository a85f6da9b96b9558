import { useEffect } from 'react';

/**
 * Lets the browser ask before the page is left while `isNeeded`, which a render may know too late: `wouldLose` is asked
 * when the page is left.
 */
export function useLeaveWarning(isNeeded: boolean, wouldLose: () => boolean = () => true): void {
  useEffect(() => {
    if (!isNeeded) return undefined;
    const warn = (event: BeforeUnloadEvent): void => {
      if (wouldLose()) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isNeeded]);
}
