import { useEffect, useState } from 'react';
import { SESSION_OVER, SESSION_RESUMED, signInFrom } from '#platform/http/refused-calls.ts';

/*
 * A session that ends while files are selected: the page stays, since files cannot be kept across a sign-in.
 * It shows nothing but them, leads to the sign-in in another tab, and continues when the same person is
 * signed in again.
 */

/**
 * Tells whether the session has ended while `holds` reports that something would be lost; calls `resume` when
 * it continues.
 */
export function useSessionOver(holds: () => boolean, resume: () => void): boolean {
  const [isOver, setOver] = useState(false);

  useEffect(() => {
    const stay = (event: Event): void => {
      if (!holds()) return;
      event.preventDefault();
      setOver(true);
    };
    document.addEventListener(SESSION_OVER, stay);
    return () => document.removeEventListener(SESSION_OVER, stay);
  });

  useEffect(() => {
    document.documentElement.dataset['over'] = isOver ? 'session' : '';
    if (!isOver) return undefined;
    let isResumed = false; // a tab that becomes visible gets both events, and two responses
    const check = (): void => {
      void isSignedInAgain().then((isBack) => {
        if (!isBack || isResumed) return;
        isResumed = true;
        document.dispatchEvent(new Event(SESSION_RESUMED));
        setOver(false);
        resume();
      });
    };
    addEventListener('focus', check);
    document.addEventListener('visibilitychange', check);
    return () => {
      removeEventListener('focus', check);
      document.removeEventListener('visibilitychange', check);
    };
  }, [isOver]);

  return isOver;
}

/**
 * Tells whether it is the same person, in the same firm: their files are not sent in the name of somebody
 * else.
 */
async function isSignedInAgain(): Promise<boolean> {
  const answer = await import('#platform/http/http.ts')
    .then(({ plainHttp }) => plainHttp.get('/api/security/v1/session', { headers: { 'X-Background': '1' } }))
    .catch(() => undefined); // asked again when the tab becomes visible
  if (!answer?.ok) return false;
  const { bindings } = (await answer.json()) as {
    bindings: { ApplicationConfiguration: { ContactId: string } };
  };
  return (
    bindings.ApplicationConfiguration.ContactId ===
    document.querySelector<HTMLElement>('#session-end [data-who]')?.dataset['who']
  );
}

interface Props {
  text: string;
  link: string;
}

/** Shows that the session has ended, with a link to the sign-in in another tab. */
export function SignedOut({ text, link }: Props) {
  return (
    <div className="alert alert-info stack signed-out" role="alert">
      <p>{text}</p>
      <p>
        <a className="button button-primary" href={signInFrom(location)} target="_blank">
          {link}
        </a>
      </p>
    </div>
  );
}
