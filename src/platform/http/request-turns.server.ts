import type { IncomingMessage, ServerResponse } from 'node:http';
import { fairQueue, type QueueUser } from '../jobs/fair-queue.server.ts';

/*
 * Requests take turns, so that one person's do not hold up everybody else's (threat-model.md T88): of a person some are
 * worked on at once and some wait, beyond which they are refused. A turn is the work of the portal only. It ends when the
 * answer begins, so that a download which takes an hour holds none, and while the portal waits for the body of a request.
 */

/**
 * One turn begins in each round of the event loop: most pages are made in one go, and those who have asked meanwhile are
 * seen before the next.
 */
const pace = (startOne: () => void): void => void setImmediate(startOne);

export const TURNS = { width: 24, firmAtOnce: 16, personAtOnce: 8, perPerson: 32, perFirm: 512, total: 2048 };
/** How long a body may take to arrive before its request gives its turn away, in ms. */
const BODY_TIME = 500;

/** Returns a function that waits for the turn of a request. TOO_MANY if too many of the same person wait. */
export function requestTurns(limits = TURNS) {
  const inTurn = fairQueue({ ...limits, pace });
  return async function turnOf(
    user: QueueUser,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const turn = Promise.withResolvers<undefined>();
    const isGone = (): boolean => response.closed;
    inTurn(
      user,
      () => {
        turn.resolve(undefined);
        return isGone() ? Promise.resolve() : endOfTurn(request, response);
      },
      isGone,
    ).catch(turn.reject);
    await turn.promise;
  };
}

/** Resolves when the answer begins, nobody waits for it any more, or the portal waits for the body. */
function endOfTurn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const { writeHead } = response;
    response.writeHead = ((...head: Parameters<typeof writeHead>) => {
      resolve();
      return writeHead.apply(response, head);
    }) as typeof writeHead;
    response.once('close', resolve);
    if (request.complete) return;
    const late = setTimeout(() => {
      if (!request.complete) resolve();
    }, BODY_TIME);
    response.once('close', () => clearTimeout(late));
  });
}
