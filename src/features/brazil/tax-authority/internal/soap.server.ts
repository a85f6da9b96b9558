import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import tls from 'node:tls';
import type { Credentials } from '#features/brazil/digital-certificates/credentials.server.ts';
import { parseXml, type XmlElement } from '#features/documents/fiscal-xml/xml.server.ts';
import type { Outcome } from '../tax-authority.server.ts';

/*
 * Requests by SOAP 1.2 over mutual TLS. A request is over after a time, an answer has a maximum size, and the server's
 * certificate is always checked. What failed before the request was on its way is told apart from what may have arrived.
 */

/** The size of an answer: 50 documents, of which few are large. */
const MAX_ANSWER = 32 * 1024 ** 2;
const WSDL = 'http://www.portalfiscal.inf.br/nfe/wsdl';
const NFE = 'http://www.portalfiscal.inf.br/nfe';

export interface Connection {
  /** Certificates of authorities as PEM, besides those of the system. */
  roots: string | undefined;
  /** How long a request may take (ms). */
  timeout: number;
}

interface Call {
  url: string;
  service: string;
  method: string;
  /** Whether the data are within an element of the method, as the distribution wants it. */
  isWrapped?: boolean;
  data: string;
  /** The name of the element that answers. */
  answer: string;
}

/** Calls a service, and returns the element that answers. */
export async function call(
  connection: Connection,
  who: Credentials,
  { url, service, method, isWrapped = false, data, answer }: Call,
): Promise<Outcome<{ element: XmlElement }>> {
  const message = `<nfeDadosMsg xmlns="${WSDL}/${service}">${data}</nfeDadosMsg>`;
  const body = isWrapped ? `<${method} xmlns="${WSDL}/${service}">${message}</${method}>` : message;
  const posted = await post(connection, who, {
    url,
    action: `${WSDL}/${service}/${method}`,
    text: `<soap12:Envelope xmlns:soap12="http://www.w3.org/2003/05/soap-envelope"><soap12:Body>${body}</soap12:Body></soap12:Envelope>`,
  });
  if (posted.state !== 'answered') return posted;
  const element = answerIn(posted.bytes, answer);
  return element ? { state: 'answered', element } : { state: 'unclear', because: 'unreadable' };
}

/** The answer in an envelope, if it is the expected one in UTF-8. */
function answerIn(bytes: Buffer, name: string): XmlElement | undefined {
  const root = parseXml(utf8(bytes) ?? '');
  if (typeof root === 'string') return undefined;
  const found: XmlElement[] = [];
  const look = (element: XmlElement): void => {
    if (element.name === name && element.uri === NFE) found.push(element);
    else for (const each of element.children) if (typeof each === 'object' && 'name' in each) look(each);
  };
  look(root);
  return found.length === 1 ? found[0] : undefined;
}

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

class Failed extends Error {
  readonly because: 'unreadable' | 'failed' | 'certificate';
  constructor(because: Failed['because']) {
    super(because);
    this.because = because;
  }
}

/** An alert of TLS by which a server refuses the certificate of a client; with TLS 1.3 it comes after the handshake. */
const CERTIFICATE_ALERT =
  /ALERT_(?:(?:BAD|UNSUPPORTED)_CERTIFICATE|CERTIFICATE_|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)/;

async function post(
  { roots, timeout }: Connection,
  { key, pem }: Credentials,
  { url, action, text }: { url: string; action: string; text: string },
): Promise<Outcome<{ bytes: Buffer }>> {
  const signal = AbortSignal.timeout(timeout);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let isConnected = false;
  const request = https.request(url, {
    method: 'POST',
    agent: false,
    key,
    cert: pem,
    ca: [...tls.getCACertificates('default'), ...(roots === undefined ? [] : [roots])],
    minVersion: 'TLSv1.2',
    signal,
    headers: {
      'Content-Type': `application/soap+xml; charset=utf-8; action="${action}"`,
      'Content-Length': Buffer.byteLength(text),
    },
  });
  request.on('socket', (socket) => {
    (socket as TLSSocket).once('secureConnect', () => (isConnected = true));
  });
  request.on('error', reject);
  request.on('response', (response) => void bytesOf(response).then(resolve, reject));
  request.end(text);
  try {
    return { state: 'answered', bytes: await promise };
  } catch (error) {
    return failureOf(error, { isConnected, isLate: signal.aborted });
  } finally {
    request.destroy();
  }
}

async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  // the national environment answers so without a certificate that it accepts
  if (response.statusCode === 403) throw new Failed('certificate');
  if (response.statusCode !== 200) throw new Failed('failed');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER) throw new Failed('unreadable');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function failureOf(
  error: unknown,
  { isConnected, isLate }: { isConnected: boolean; isLate: boolean },
): Exclude<Outcome<object>, { state: 'answered' }> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if ((error instanceof Failed && error.because === 'certificate') || CERTIFICATE_ALERT.test(code))
    return { state: 'notSent', because: 'certificate' };
  if (error instanceof Failed && error.because !== 'certificate')
    return { state: 'unclear', because: error.because };
  if (!isConnected) return { state: 'notSent', because: 'unreachable' };
  return { state: 'unclear', because: isLate ? 'timeout' : 'brokenOff' };
}
