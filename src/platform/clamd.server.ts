import { createConnection, type Socket } from 'node:net';
import { MINUTE, SECOND } from './clock.server.ts';
import { config } from './config.server.ts';

/*
 * ClamAV's daemon, asked by its own protocol: INSTREAM sends the bytes in pieces with their lengths before them, and one line comes back.
 * What is too large for the scanner is not taken for clean, whether it says so or reports it as a finding (AlertExceedsMax).
 */

export type Verdict = 'clean' | 'infected' | 'too large';

/** How long it may be silent: a large archive takes its time. */
const SILENCE = MINUTE;
const CONNECTING = 5 * SECOND;

let address = config.clamd;

/** Where clamd is asked from now on; nowhere without an address. */
export function useScanner(at: string | undefined): void {
  address = at;
}

/** Whether files are scanned here. */
export const isScanned = (): boolean => address !== undefined;

/** What clamd says of these bytes; throws when it does not answer, or answers something else. */
export async function scan(bytes: AsyncIterable<Buffer>, silence = SILENCE): Promise<Verdict> {
  const reply = await converse(async (send) => {
    await send(Buffer.from('zINSTREAM\0'));
    for await (const chunk of bytes) {
      if (chunk.length === 0) continue;
      const length = Buffer.alloc(4);
      length.writeUInt32BE(chunk.length);
      await send(Buffer.concat([length, chunk]));
    }
    await send(Buffer.alloc(4));
  }, silence);
  if (/size limit exceeded|Heuristics\.Limits\.Exceeded/i.test(reply)) return 'too large';
  if (/^stream: OK$/.test(reply)) return 'clean';
  if (/^stream: .+ FOUND$/.test(reply)) return 'infected';
  throw new Error('clamd answered what is no answer to INSTREAM');
}

/** Asks whether clamd is there; throws when it is not. */
export async function tryScanner(): Promise<void> {
  if ((await converse((send) => send(Buffer.from('zPING\0')), CONNECTING)) !== 'PONG') throw new Error('what answers there is not clamd');
}

type Send = (bytes: Buffer) => Promise<void>;

/** One connection: what `talk` sends, and the line that comes back. A refusal may come, and the connection end, while we still send. */
async function converse(talk: (send: Send) => Promise<void>, silence: number): Promise<string> {
  const socket = connect();
  const answered = Promise.withResolvers<string>();
  answered.promise.catch(() => undefined); // told where it is awaited
  let reply = '';
  const end = (error?: Error): void => (/[\0\n]$/.test(reply) ? answered.resolve(reply.replace(/[\0\n]+$/, '')) : answered.reject(error ?? new Error('clamd hung up without an answer')));
  socket.setEncoding('latin1').on('data', (piece: string) => {
    reply = (reply + piece).slice(0, 4096);
    if (/[\0\n]$/.test(reply)) end();
  });
  socket.on('error', end).on('close', () => end());
  socket.setTimeout(CONNECTING, () => socket.destroy(new Error('clamd does not answer')));
  socket.once('connect', () => socket.setTimeout(silence));
  const send: Send = (bytes) => new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve())));
  try {
    // Whichever comes first: a refusal in the middle needs no more bytes, and a connection that broke is told by the answer.
    await Promise.race([talk(send).catch(() => undefined), answered.promise]);
    return await answered.promise;
  } finally {
    socket.destroy();
  }
}

function connect(): Socket {
  if (address === undefined) throw new Error('CLAMD is not set');
  if (address.startsWith('unix:')) return createConnection(address.slice('unix:'.length));
  const [, host = '', port = ''] = /^\[?(.+?)\]?:(\d+)$/.exec(address) ?? [];
  return createConnection(Number(port), host);
}
