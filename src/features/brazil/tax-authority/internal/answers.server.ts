import { gunzipSync } from 'node:zlib';
import {
  attribute,
  children,
  ownText,
  text,
  type XmlElement,
} from '#features/documents/fiscal-xml/xml.server.ts';
import { LOT_PROCESSED } from '../statuses.ts';
import type {
  Distribution,
  DistributedDocument,
  EventReply,
  KnownEvent,
  Nsu,
  Status,
} from '../tax-authority.server.ts';

/* What the elements of answers say. Undefined is one that cannot be understood. */

/** The size of a document once it is unpacked. */
const MAX_DOCUMENT = 5 * 1024 ** 2;
const NSU = /^\d{1,15}$/;
const PROTOCOL = /^\d{15}$/;

function statusIn(element: XmlElement): Status | undefined {
  const code = text(element, 'cStat');
  return /^\d{3,4}$/.test(code) ? { code, reason: text(element, 'xMotivo').slice(0, 500) } : undefined;
}

const nsuIn = (value: string): Nsu | undefined => (NSU.test(value) ? value.padStart(15, '0') : undefined);

export function distributionIn(element: XmlElement): Distribution | undefined {
  const status = statusIn(element);
  return (
    status && {
      ...status,
      last: nsuIn(text(element, 'ultNSU')),
      highest: nsuIn(text(element, 'maxNSU')),
      documents: children(element, 'loteDistDFeInt.docZip').flatMap(documentIn),
    }
  );
}

function documentIn(element: XmlElement): DistributedDocument[] {
  const nsu = nsuIn(attribute(element, 'NSU'));
  if (nsu === undefined) return [];
  return [{ nsu, schema: attribute(element, 'schema'), xml: unpacked(ownText(element)) }];
}

function unpacked(encoded: string): Buffer | undefined {
  try {
    return gunzipSync(Buffer.from(encoded, 'base64'), { maxOutputLength: MAX_DOCUMENT });
  } catch {
    return undefined; // not gzip, or too large
  }
}

function replyIn(element: XmlElement | undefined): EventReply | undefined {
  const status = element && statusIn(element);
  if (!element || !status) return undefined;
  const protocol = text(element, 'nProt');
  const at = Date.parse(text(element, 'dhRegEvento'));
  return {
    ...status,
    protocol: PROTOCOL.test(protocol) ? protocol : '',
    registeredAt: Number.isNaN(at) ? undefined : at,
  };
}

/** The answer to one event: that of its request, unless it was processed. One about another event is not understood. */
export function eventReplyIn(element: XmlElement, id: string): EventReply | undefined {
  const status = statusIn(element);
  if (!status) return undefined;
  if (status.code !== LOT_PROCESSED) return { ...status, protocol: '', registeredAt: undefined };
  const replies = children(element, 'retEvento.infEvento');
  const [own] = replies;
  if (!own || replies.length !== 1) return undefined;
  const named = idIn(own);
  return named === '' || named === id ? replyIn(own) : undefined;
}

/** The `Id` of the event that an element is about; empty if it does not say. */
function idIn(element: XmlElement): string {
  const [type, key, sequence] = ['tpEvento', 'chNFe', 'nSeqEvento'].map((name) => text(element, name));
  if (!type || !key || !sequence) return '';
  return `ID${type}${key}${sequence.padStart(2, '0')}`;
}

export function situationIn(element: XmlElement): (Status & { events: KnownEvent[] }) | undefined {
  const status = statusIn(element);
  if (!status) return undefined;
  const events = children(element, 'procEventoNFe').flatMap((known): KnownEvent[] => {
    const [event] = children(known, 'evento.infEvento');
    const reply = replyIn(children(known, 'retEvento.infEvento')[0]);
    if (!event || !reply) return [];
    return [{ ...reply, id: idIn(event), author: text(event, 'CNPJ') || text(event, 'CPF') }];
  });
  return { ...status, events };
}
