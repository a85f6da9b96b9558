import { createConnection, type Socket } from 'node:net';
import { MINUTE, SECOND } from '../runtime/clock.server.ts';
import { config } from '../runtime/config.server.ts';

/*
 * A client for ClamAV's daemon: INSTREAM sends length-prefixed chunks and returns one line. A file that is
 * too large to scan is never reported as clean, whether clamd returns an error or a finding
 * (AlertExceedsMax).
 */

export type ScanResult = 'clean' | 'infected' | 'too large';

/** Idle timeout; scanning a large archive takes a while. */
const IDLE_TIMEOUT = MINUTE;
const CONNECT_TIMEOUT = 5 * SECOND;

let address = config.clamd;

/** Changes the address of clamd; undefined turns scanning off. */
export function setScannerAddress(at: string | undefined): void {
  address = at;
}

export const isScanningEnabled = (): boolean => address !== undefined;

/** Scans the bytes; throws when clamd does not respond or sends anything unexpected. */
export async function scan(bytes: AsyncIterable<Buffer>, idleTimeout = IDLE_TIMEOUT): Promise<ScanResult> {
  const reply = await exchange(async (send) => {
    await send(Buffer.from('zINSTREAM\0'));
    for await (const chunk of bytes) {
      if (chunk.length === 0) continue;
      const length = Buffer.alloc(4);
      length.writeUInt32BE(chunk.length);
      await send(Buffer.concat([length, chunk]));
    }
    await send(Buffer.alloc(4));
  }, idleTimeout);
  if (/size limit exceeded|Heuristics\.Limits\.Exceeded/i.test(reply)) return 'too large';
  if (/^stream: OK$/.test(reply)) return 'clean';
  if (/^stream: .+ FOUND$/.test(reply)) return 'infected';
  throw new Error('clamd sent an unexpected response to INSTREAM');
}

/** Checks that clamd responds; throws when it does not. */
export async function pingScanner(): Promise<void> {
  if ((await exchange((send) => send(Buffer.from('zPING\0')), CONNECT_TIMEOUT)) !== 'PONG')
    throw new Error('the server at this address is not clamd');
}

type Send = (bytes: Buffer) => Promise<void>;

/**
 * One exchange: sends what `talk` writes and returns the response line. clamd may respond, and close the
 * connection, while we are still sending.
 */
async function exchange(talk: (send: Send) => Promise<void>, idleTimeout: number): Promise<string> {
  const socket = connect();
  const response = Promise.withResolvers<string>();
  response.promise.catch(() => undefined); // reported where it is awaited
  let reply = '';
  const end = (error?: Error): void =>
    /[\0\n]$/.test(reply)
      ? response.resolve(reply.replace(/[\0\n]+$/, ''))
      : response.reject(error ?? new Error('clamd closed the connection without a response'));
  socket.setEncoding('latin1').on('data', (piece: string) => {
    reply = (reply + piece).slice(0, 4096);
    if (/[\0\n]$/.test(reply)) end();
  });
  socket.on('error', end).on('close', () => end());
  socket.setTimeout(CONNECT_TIMEOUT, () => socket.destroy(new Error('clamd does not respond')));
  socket.once('connect', () => socket.setTimeout(idleTimeout));
  let isBroken = false;
  const send: Send = (bytes) =>
    new Promise((resolve, reject) => {
      socket.write(bytes, (error) => {
        isBroken ||= Boolean(error);
        if (error) reject(error);
        else resolve();
      });
    });
  const talking = talk(send).catch((error: unknown) => {
    if (!isBroken) throw error; // the bytes could not be read
  });
  try {
    // An early response makes the remaining bytes unnecessary, and a broken connection rejects the response.
    await Promise.race([talking, response.promise]);
    return await response.promise;
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
