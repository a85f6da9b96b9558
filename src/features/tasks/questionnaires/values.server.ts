import { addressLabels, type Address } from '#platform/inputs/address.ts';
import { readTypedDate } from '#platform/inputs/typed-dates.ts';
import { stateId } from '#platform/inputs/countries.server.ts';
import { isMasked, readAnswer, type Finding } from './answer-values.ts';
import { maskedValue } from './display.server.ts';
import { answerValue, type AnswerValue, type Phone, type Question } from './questionnaires.ts';
import { phoneOf, typedValue, type Reader } from './typed-values.ts';

/* Turns what another program or the editor sent into the answer that is stored. */

/**
 * What a masked text means for the stored answer: most sensitive answers are shown masked, so its own mask leaves it as it is.
 * Any other mask is refused, since a masked number never replaces a full one.
 */
export function readMasked(
  question: Question,
  text: string,
  stored: AnswerValue | undefined,
): 'unchanged' | 'refused' | undefined {
  const mask = question.kind === 'identifier' ? /[•*]/ : /•/;
  if (!isMasked(question) || !mask.test(text)) return undefined;
  const reading = readAnswer(question, stored);
  const shown = reading.state === 'value' ? maskedValue(question, reading.value) : undefined;
  const plain = (value: string): string => value.replaceAll('*', '•').replaceAll(/[^•\p{L}\p{N}]/gu, '');
  return shown !== undefined && plain(shown) === plain(text) ? 'unchanged' : 'refused';
}

/**
 * The answer of a call: normalized, with what is wrong with it; `null` empties the answer. Undefined if it cannot be an
 * answer of this question at all, such as a choice that is not offered. `stored` is the answer so far, which a masked
 * text does not change.
 */
export function sentAnswer(
  question: Question,
  sent: unknown,
  { stored, ...reader }: Reader & { stored?: AnswerValue | undefined },
): { value: AnswerValue | null; finding?: Finding } | undefined {
  if (sent === null || sent === '') return { value: null };
  const parsed = answerValue.safeParse(sent);
  if (!parsed.success) return undefined;
  const masked = typeof parsed.data === 'string' ? readMasked(question, parsed.data, stored) : undefined;
  if (masked)
    return { value: stored ?? null, ...(masked === 'refused' && { finding: { code: 'maskedChanged' } }) };
  const value = normalized(question, parsed.data, reader);
  const reading = readAnswer(question, value);
  if (reading.state === 'empty') return { value: null };
  if (reading.state === 'wrong' && reading.finding.code === 'notAllowed') return undefined;
  const finding =
    reading.state === 'wrong' ? reading.finding : 'warning' in reading ? reading.warning : undefined;
  return { value, ...(finding && { finding }) };
}

function normalized(question: Question, value: AnswerValue, reader: Reader): AnswerValue {
  if (typeof value === 'string' && question.kind !== 'choice')
    return typedValue(question, value, { readDate: readTypedDate, ...reader });
  if (question.kind === 'address' && isAddress(value)) return addressOf(value);
  if (question.kind === 'phone' && isPhone(value)) return phoneOf(value.typed, reader.country);
  return value;
}

export const isAddress = (value: AnswerValue | null | undefined): value is Address =>
  typeof value === 'object' && value !== null && 'address1' in value;
const isPhone = (value: AnswerValue): value is Phone => typeof value === 'object' && 'typed' in value;

/** An address without parts that its country does not have; a state of another country is emptied. */
export function addressOf(value: Address): Address {
  const trimmed = (part: keyof Address): string => value[part].trim();
  const labels = addressLabels(trimmed('country'));
  const kept = (part: keyof Address): string => (labels[part] === undefined ? '' : trimmed(part));
  return {
    country: trimmed('country'),
    address1: trimmed('address1'),
    address2: trimmed('address2'),
    city: trimmed('city'),
    state: stateId(trimmed('country'), kept('state')) ?? '',
    zip: kept('zip'),
    county: kept('county'),
  };
}
