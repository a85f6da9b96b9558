import net from 'node:net';

/**
 * The bytes to send over a connection, in chunks that each become a packet if the network allows, and how to
 * end it.
 */
export interface Exchange {
  pieces: Buffer[];
  end: 'wait' | 'half-close' | 'disconnect';
  /**
   * True if the request is complete and so must be answered: the answer is waited for, however busy the
   * machine.
   */
  isWhole?: boolean;
}

export interface Heard {
  bytes: Buffer;
  /** True if the server closed the connection, false if it waited for more and we disconnected. */
  closed: boolean;
}

const TIMEOUT = 400; // ms without data after which we disconnect: the rest of the request will not come
const LONG_TIMEOUT = 10_000; // ms for a request that must be answered

/**
 * Sends raw bytes to a server on this machine and returns its answer. Resolves when each request is answered,
 * the server closes, or nothing comes any more.
 */
export function talk(
  port: number,
  { pieces, end, isWhole = false }: Exchange,
  answers = 1,
  timeout = isWhole ? LONG_TIMEOUT : TIMEOUT,
): Promise<Heard> {
  return new Promise((resolve) => {
    const heard: Buffer[] = [];
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const finish = (closed: boolean): void => {
      socket.destroy();
      resolve({ bytes: Buffer.concat(heard), closed });
    };
    socket.setTimeout(timeout, () => finish(false));
    socket.on('error', () => finish(true)); // a reset is a way to close
    socket.on('close', () => finish(true));
    socket.on('end', () => finish(true));
    socket.on('data', (chunk: Buffer) => {
      heard.push(chunk);
      const { whole } = answersIn(Buffer.concat(heard));
      if (end === 'wait' && whole >= answers) finish(false);
      // it has answered; its header alone does not always show whether more will come
      else if (isWhole) socket.setTimeout(TIMEOUT);
    });
    const send = (rest: Buffer[]): void => {
      const [piece, ...others] = rest;
      if (socket.destroyed) return;
      if (piece) socket.write(piece, () => setImmediate(send, others));
      else if (end === 'half-close') socket.end();
      else if (end === 'disconnect') finish(false);
    };
    socket.on('connect', () => send(pieces));
  });
}

export interface WireAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

const HEAD = /^HTTP\/1\.1 (\d{3}) [^\r\n\0]*\r\n((?:[!#$%&'*+.^_`|~\w-]+:[^\r\n\0]*\r\n)*)$/;

/**
 * Parses the responses of a server and counts the complete ones. `trouble` names violations of HTTP (RFC
 * 9112). A response with a length and no body at all counts as one to HEAD.
 */
export function answersIn(bytes: Buffer): { answers: WireAnswer[]; whole: number; trouble?: string } {
  const answers: WireAnswer[] = [];
  let [at, whole] = [0, 0];
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end < 0)
      return {
        answers,
        whole,
        ...(!'HTTP/1.1 '.startsWith(bytes.toString('latin1', at, at + 9)) && {
          trouble: `no answer begins like this: ${JSON.stringify(bytes.toString('latin1', at, at + 60))}`,
        }),
      };
    const [, status, lines] = HEAD.exec(bytes.toString('latin1', at, end + 2)) ?? [];
    if (status === undefined)
      return {
        answers,
        whole,
        trouble: `this is no head of an answer: ${JSON.stringify(bytes.toString('latin1', at, end).slice(0, 300))}`,
      };
    const headers = new Map(
      (lines ?? '')
        .split('\r\n')
        .filter(Boolean)
        .map((line) => [
          line.slice(0, line.indexOf(':')).toLowerCase(),
          line.slice(line.indexOf(':') + 1).trim(),
        ]),
    );
    const body = bodyAt(bytes, end + 4, Number(status), headers);
    answers.push({ status: Number(status), headers, body: body.text });
    if (body.trouble) return { answers, whole, trouble: body.trouble };
    if (body.end === undefined) return { answers, whole };
    if (Number(status) >= 200) whole += 1;
    at = body.end;
  }
  return { answers, whole };
}

/** The body of a response and where it ends; no end if it is incomplete. */
function bodyAt(
  bytes: Buffer,
  start: number,
  status: number,
  headers: Map<string, string>,
): { text: string; end?: number; trouble?: string } {
  if (status < 200 || status === 204 || status === 304) return { text: '', end: start };
  if (headers.get('transfer-encoding') === 'chunked') return chunksAt(bytes, start);
  const length = headers.get('content-length');
  if (length === undefined) return { text: bytes.toString('latin1', start) }; // until the server closes
  if (start === bytes.length || bytes.toString('latin1', start, start + 9) === 'HTTP/1.1 ')
    return { text: '', end: start };
  const end = start + Number(length);
  return { text: bytes.toString('latin1', start, end), ...(end <= bytes.length && { end }) };
}

function chunksAt(bytes: Buffer, start: number): { text: string; end?: number; trouble?: string } {
  const parts: string[] = [];
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0)
      return at === bytes.length && at === start ? { text: '', end: start } : { text: parts.join('') };
    const line = bytes.toString('latin1', at, lineEnd);
    if (line.startsWith('HTTP/1.1 ') && at === start) return { text: '', end: start };
    if (!/^[0-9a-f]+$/i.test(line))
      return {
        text: parts.join(''),
        trouble: `this is no length of a chunk: ${JSON.stringify(line.slice(0, 60))}`,
      };
    const size = Number.parseInt(line, 16);
    if (bytes.length < lineEnd + 2 + size + 2) return { text: parts.join('') };
    parts.push(bytes.toString('latin1', lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
    if (size === 0) return { text: parts.join(''), end: at };
  }
}

/** The parts of a request before it is encoded. */
export interface WireRequest {
  method: string;
  target: string;
  version: string;
  headers: [string, string][];
  body: string | Buffer;
}

/** Encodes a request. Texts are sent byte by byte if they are Latin-1, else as UTF-8. */
export function written({ method, target, version, headers, body }: WireRequest): Buffer {
  const head = `${method} ${target}${version && ` ${version}`}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return Buffer.concat([asBytes(head), typeof body === 'string' ? asBytes(body) : body]);
}

const asBytes = (text: string): Buffer => Buffer.from(text, /^[\0-\xff]*$/.test(text) ? 'latin1' : 'utf8');
