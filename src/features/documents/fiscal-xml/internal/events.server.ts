import type { FiscalEvent, FiscalText, Proof, VoidedNumbers } from '../fiscal-xml.ts';
import { keyHolds } from '../keys.ts';
import { cfeKeyContent, momentOf } from './cfe.server.ts';
import { inOrder, keyOf } from './documents.server.ts';
import { factsOf, othersIn, tableOf, type Field } from './fields.server.ts';
import { AUTHORITY_NOT_ASKED, keyProofs, signatureProofs } from './proofs.server.ts';
import { signatureOf } from './signature.server.ts';
import { child, children, elementsIn, firstText, text, textByName, type XmlElement } from '../xml.server.ts';

/* What happens to documents after they were issued. */

/** The names of common events; others are shown as their file names them. */
const NAMES: Readonly<Record<string, FiscalText>> = {
  110110: 'eventCorrection',
  110111: 'eventCancellation',
  110113: 'eventContingency',
  110140: 'eventContingency',
  110130: 'eventDelivered',
  110131: 'eventDeliveredUndone',
  110180: 'eventDelivered',
  110181: 'eventDeliveredUndone',
  110114: 'eventDriver',
  210200: 'eventConfirmed',
  210210: 'eventAware',
  210220: 'eventUnknown',
  210240: 'eventNotDone',
  610110: 'eventObjection',
  610111: 'eventObjectionUndone',
  101101: 'eventCancellation',
  105102: 'eventCancellationReplaced',
  101103: 'eventCancellationAsked',
};
/** 110112 ends an MDF-e and cancels a note; 110115 adds documents to an MDF-e. */
const NAMES_BY_MODEL: Readonly<Record<string, FiscalText>> = {
  '110112 58': 'eventClosing',
  '110112': 'eventCancellationReplaced',
  '110115 58': 'eventDocumentsAdded',
};
const CANCELLING = new Set<FiscalText | undefined>(['eventCancellation', 'eventCancellationReplaced']);
const REGISTERED = new Set(['134', '135', '136', '155']);

/** An event, with the authority's answer beside it: `evento`, `eventoCTe` and others with `infEvento`. */
export function readEvent(event: XmlElement, inf: XmlElement): FiscalEvent {
  const key = textByName(inf, /^ch[A-Z]/);
  const type = text(inf, 'tpEvento');
  const detail = child(inf, 'detEvento');
  const own = elementsIn(detail).find((each) => elementsIn(each).length > 0) ?? detail;
  const answer = answerTo(event, key, text(inf, 'nSeqEvento'));
  const model = key.slice(20, 22);
  const name = NAMES_BY_MODEL[`${type} ${model}`] ?? NAMES_BY_MODEL[type] ?? NAMES[type];
  return eventOf(inf, {
    type,
    name,
    key,
    description: firstText(detail, 'descEvento') || firstText(own, 'descEvento') || text(answer, 'xEvento'),
    sequence: text(inf, 'nSeqEvento'),
    at: text(inf, 'dhEvento'),
    isTest: text(inf, 'tpAmb') === '2',
    reason:
      firstText(own, 'xJust', 'xCorrecao', 'xObs', 'xMotivo') || firstText(detail, 'xJust', 'xCorrecao'),
    author: firstText(inf, 'CNPJ', 'CPF'),
    answer,
    facts: factsOf(own, DETAIL),
    tables: [tableOf(children(own, 'infCorrecao'), CORRECTIONS)].filter((table) => table !== undefined),
  });
}

const DETAIL: readonly Field[] = [
  ['protocolOfDocument', 'nProt'],
  ['replacedBy', 'chNFeRef', 'key'],
  ['name', 'condutor.xNome'],
  ['taxId', 'condutor.CPF', 'taxId'],
  ['closedOn', 'dtEnc', 'date'],
  ['receivedBy', 'xNome'],
  ['receivedAt', 'dhEntrega', 'moment'],
];
const CORRECTIONS: readonly Field[] = [
  ['group', 'grupoAlterado'],
  ['field', 'campoAlterado'],
  ['newValue', 'valorAlterado'],
  ['itemNumber', 'nroItemAlterado'],
];

/** A cancellation before there were events: `cancNFe` and `cancCTe` with `infCanc`. */
export function readOldCancellation(event: XmlElement, inf: XmlElement): FiscalEvent {
  const key = textByName(inf, /^ch[A-Z]/);
  const answer = elementsIn(event.parent)
    .filter(({ name }) => /^retCanc/.test(name))
    .map((each) => child(each, 'infCanc'))[0];
  return eventOf(inf, {
    type: '',
    name: 'eventCancellation',
    key,
    description: '',
    sequence: '',
    at: text(answer, 'dhRecbto'),
    isTest: text(inf, 'tpAmb') === '2',
    reason: text(inf, 'xJust'),
    author: '',
    answer,
    facts: factsOf(inf, DETAIL),
    tables: [],
    registered: ['101', '151', '155'],
  });
}

/** The cancellation of a CF-e, which its device signs. */
export function readCfeCancellation(_: XmlElement, inf: XmlElement): FiscalEvent {
  const key = text(inf, '@chCanc').replace(/^CFe/, '');
  const event = eventOf(inf, {
    type: '',
    name: 'eventCancellation',
    key,
    description: '',
    sequence: '',
    at: momentOf(inf),
    isTest: false,
    reason: '',
    author: text(inf, 'emit.CNPJ'),
    answer: undefined,
    facts: factsOf(inf, [
      ['issuer', 'emit.xNome'],
      ['amount', 'total.vCFe', 'money'],
      ['number', 'ide.nCFe'],
    ]),
    tables: [],
  });
  const proofs = event.proofs.filter((proof) => proof.text !== 'eventNoProtocol');
  return {
    ...event,
    state: 'unproven',
    proofs: inOrder([...keyProofs(keyOf(inf), cfeKeyContent(inf)), ...proofs]),
  };
}

/** The authority's summary of an event, without the event. */
export const readEventSummary = (_: XmlElement, inf: XmlElement): FiscalEvent => {
  const type = text(inf, 'tpEvento');
  const event = eventOf(inf, {
    type,
    name: NAMES_BY_MODEL[type] ?? NAMES[type],
    key: textByName(inf, /^ch[A-Z]/),
    description: text(inf, 'xEvento'),
    sequence: text(inf, 'nSeqEvento'),
    at: text(inf, 'dhEvento'),
    isTest: false,
    reason: '',
    author: firstText(inf, 'CNPJ', 'CPF'),
    answer: undefined,
    facts: factsOf(inf, [['protocol', 'nProt']]),
    tables: [],
  });
  return {
    ...event,
    state: 'unproven',
    registeredAt: text(inf, 'dhRecbto'),
    proofs: [{ result: 'open', text: 'summaryOnly' }, AUTHORITY_NOT_ASKED],
  };
};

/** An event of the national NFS-e: what was asked for, and by whom. */
export function readNfseEvent(_: XmlElement, inf: XmlElement): FiscalEvent {
  const asked = child(inf, 'pedRegEvento.infPedReg') ?? inf;
  const detail = elementsIn(asked).find(({ name }) => /^e\d{6}$/.test(name));
  const type = detail?.name.slice(1) ?? '';
  const isMade = asked !== inf;
  return {
    ...eventOf(inf, {
      type,
      name: NAMES[type],
      key: text(asked, 'chNFSe'),
      description: text(detail, 'xDesc'),
      sequence: firstText(inf, 'nSeqEvento') || text(asked, 'nPedRegEvento'),
      at: text(asked, 'dhEvento'),
      isTest: text(asked, 'tpAmb') === '2',
      reason: text(detail, 'xMotivo'),
      author: firstText(asked, 'CNPJAutor', 'CPFAutor'),
      answer: undefined,
      facts: factsOf(detail, [['replacedBy', 'chSubstituta', 'key']]),
      tables: [],
    }),
    state: isMade ? 'registered' : 'noProtocol',
    registeredAt: isMade ? text(inf, 'dhProc') : '',
  };
}

interface Told extends Pick<
  FiscalEvent,
  'type' | 'name' | 'key' | 'description' | 'sequence' | 'at' | 'isTest' | 'reason' | 'facts' | 'tables'
> {
  author: string;
  answer: XmlElement | undefined;
  registered?: readonly string[];
}

function eventOf(inf: XmlElement, { author, answer, registered, facts, ...told }: Told): FiscalEvent {
  const signature = signatureOf(inf);
  const status = text(answer, 'cStat');
  const isRegistered = registered ? registered.includes(status) : REGISTERED.has(status);
  const state = !answer ? 'noProtocol' : isRegistered ? 'registered' : 'rejected';
  const missing: Proof[] = answer ? [] : [{ result: 'open', text: 'eventNoProtocol' }];
  return {
    kind: 'event',
    ...told,
    cancels: CANCELLING.has(told.name),
    keyHolds: keyHolds(told.key),
    state,
    registeredAt: firstText(answer, 'dhRegEvento', 'dhRecbto'),
    facts: [
      ...(author === '' ? [] : [{ label: 'author', type: 'taxId', value: author } as const]),
      ...facts,
      ...factsOf(answer, [
        ['protocol', 'nProt'],
        ['answer', 'xMotivo'],
      ]),
    ],
    signature,
    proofs: inOrder([
      ...(keyHolds(told.key) ? [] : [{ result: 'wrong', text: 'keyWrong' } as const]),
      ...missing,
      ...signatureProofs(signature, author),
      AUTHORITY_NOT_ASKED,
    ]),
    others: othersIn(inf),
  };
}

/** The answer to an event: beside it, or in a batch the one of its key and number. */
function answerTo(event: XmlElement, key: string, sequence: string): XmlElement | undefined {
  const answers = elementsIn(event.parent)
    .filter(({ name }) => /^retEvento/.test(name))
    .map((each) => child(each, 'infEvento'))
    .filter((each) => each !== undefined);
  const isOf = (each: XmlElement): boolean =>
    textByName(each, /^ch[A-Z]/) === key && ['', sequence].includes(text(each, 'nSeqEvento'));
  return answers.find(isOf) ?? answers.find((each) => textByName(each, /^ch[A-Z]/) === '');
}

/** Numbers that the issuer will not use: `inutNFe` and `inutCTe`, with the answer beside it. */
export function readVoid(element: XmlElement, inf: XmlElement): VoidedNumbers {
  const answer = elementsIn(element.parent)
    .filter(({ name }) => /^retInut/.test(name))
    .map((each) => child(each, 'infInut'))[0];
  const status = text(answer, 'cStat');
  const signature = signatureOf(inf);
  const issuer = firstText(inf, 'CNPJ', 'CPF');
  return {
    kind: 'void',
    isTest: text(inf, 'tpAmb') === '2',
    state: !answer ? 'noProtocol' : status === '102' ? 'registered' : 'rejected',
    registeredAt: text(answer, 'dhRecbto'),
    issuer,
    model: text(inf, 'mod'),
    series: text(inf, 'serie'),
    first: firstText(inf, 'nNFIni', 'nCTIni'),
    last: firstText(inf, 'nNFFin', 'nCTFin'),
    reason: text(inf, 'xJust'),
    facts: [
      ...factsOf(inf, [['year', 'ano']]),
      ...factsOf(answer, [
        ['protocol', 'nProt'],
        ['answer', 'xMotivo'],
      ]),
    ],
    signature,
    proofs: inOrder([
      ...(answer ? [] : [{ result: 'open', text: 'eventNoProtocol' } as const]),
      ...signatureProofs(signature, issuer),
      AUTHORITY_NOT_ASKED,
    ]),
    others: othersIn(inf),
  };
}
