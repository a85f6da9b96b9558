import { randomBytes } from 'node:crypto';
import { sha256 } from '../security/crypto.server.ts';
import { formOf } from './form.server.ts';
import { answerTo } from './forms.server.ts';
import { carryOutOnce, type StoredAnswer } from '../http/idempotency.server.ts';
import { PortalError, refusal } from '../runtime/errors.server.ts';

/*
 * Every form of a page carries a key, so that a click done twice, a reload, or a second try after an error is carried out
 * once. The content counts, too: whoever goes back and types something else does something else.
 */

const FIELD = 'request-key';
/** How long the second of two equal requests waits for the first, in steps (ms). */
const WAIT = 15_000;
const STEP = 100;

/** Islands render their forms themselves, and would not know the field. */
const FORMS = /<astro-island\b[\s\S]*?<\/astro-island>|<form\b(?:[^<>"]*"[^"]*")*[^<>"]*>/g;

/** Adds a key to the forms of a page that post to a page. */
export function addFormKeys(html: string): string {
  const field = `<input type="hidden" name="${FIELD}" value="${randomBytes(12).toString('base64url')}">`;
  return html.replaceAll(FORMS, (tag) => (isKeyed(tag) ? tag + field : tag));
}

const isKeyed = (tag: string): boolean =>
  tag.startsWith('<form') &&
  /\bmethod="post"/i.test(tag) &&
  !/\baction="(?:\/api\/|\/oidc\/|[a-z]+:|\/\/)/i.test(tag);

/**
 * Handles a posted form once: an equal one gets the first answer, and waits for it. `owner` is the contact, undefined for
 * a visitor.
 */
export async function postOnce(
  request: Request,
  owner: string | undefined,
  handle: () => Promise<Response>,
): Promise<Response> {
  const form = await formOf(request).catch(() => undefined); // a malformed form is refused by its page
  const key = form?.get(FIELD);
  if (!form || typeof key !== 'string' || key === '') return handle();
  const { pathname, search } = new URL(request.url);
  const content = await digestOf(form, pathname + search);
  // other content with the same key is another request
  const keyed = { owner: owner ?? pathname, key: `${key} ${content}`, content };
  try {
    const done = await waitForFirst(() => carryOutOnce(keyed, handle, storedAnswer));
    return done.isRepeated ? responseOf(done.answer) : done.result;
  } catch (error) {
    if (refusal(error)?.code !== 'ALREADY_DONE') throw error;
    const flash = { type: 'info', namespace: 'common', key: 'alreadyDone' } as const;
    return answerTo({ to: pathname + search, flash }, request.headers.get('accept') === 'application/json');
  }
}

async function waitForFirst<T>(attempt: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + WAIT; ;) {
    try {
      return await attempt();
    } catch (error) {
      if (refusal(error)?.code !== 'IN_PROGRESS') throw error;
      if (performance.now() > deadline) throw new PortalError('UNAVAILABLE', { retryAfter: 5 });
      await new Promise((resolve) => setTimeout(resolve, STEP));
    }
  }
}

async function digestOf(form: FormData, address: string): Promise<string> {
  const fields = await Promise.all(
    [...form]
      .filter(([name]) => name !== FIELD)
      .map(async ([name, value]) =>
        typeof value === 'string'
          ? [name, value]
          : [name, value.name, sha256(Buffer.from(await value.arrayBuffer()))],
      ),
  );
  return sha256(JSON.stringify([address, fields]));
}

/**
 * What is stored of an answer: a redirect with its message, or data for the page's scripts. Pages are not, nor what signs
 * somebody in.
 */
async function storedAnswer(response: Response): Promise<StoredAnswer | undefined> {
  const type = response.headers.get('content-type');
  const isRedirect = response.status >= 300 && response.status < 400;
  const isData = response.ok && (type?.startsWith('application/json') ?? false);
  const cookies = response.headers.getSetCookie();
  if ((!isRedirect && !isData) || cookies.some((cookie) => !isHarmless(cookie))) return undefined;
  const headers = ['content-type', 'location'].flatMap((name): [string, string][] => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return {
    status: response.status,
    headers: [...headers, ...cookies.map((cookie): [string, string] => ['set-cookie', cookie])],
    body: isData ? Buffer.from(await response.clone().arrayBuffer()).toString('base64') : '',
  };
}

const isHarmless = (cookie: string): boolean => /^(?:__Host-)?(?:flash|client|theme)=/.test(cookie);

const responseOf = ({ status, headers, body }: StoredAnswer): Response =>
  new Response(body === '' ? null : Buffer.from(body, 'base64'), {
    status,
    headers: [
      ...headers.map(([name, value]): [string, string] => [name, value]),
      ['cache-control', 'no-store'],
    ],
  });
