import type { PortalError } from '#platform/runtime/errors.server.ts';
import type { Flash } from '#platform/http/flash.server.ts';
import { formatMoment } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import type { PublicVerification } from './seals.ts';

type Message = Pick<Flash, 'type' | 'namespace' | 'key' | 'vars'>;

const MAX_NAME = 80;

/** The message for the result of a verification; times in UTC, because the time zone of a visitor is unknown. */
export function resultMessage(
  { verdict, firm, sealedAt, timestampBy }: PublicVerification,
  { lang, fileName }: { lang: Lang; fileName: string },
): Message {
  const name = fileName.slice(0, MAX_NAME);
  const vars = {
    name,
    firm: firm ?? '',
    authority: timestampBy ?? '',
    date: sealedAt === undefined ? '' : `${formatMoment(LANGUAGES[lang], sealedAt, 'UTC')} (UTC)`,
  };
  const message = (type: Message['type'], key: string): Message => ({ type, namespace: 'seals', key, vars });
  switch (verdict) {
    case 'unchanged':
      return message('success', timestampBy === undefined ? 'isUnchanged' : 'isUnchangedStamped');
    case 'unrecorded':
      return message('danger', 'isUnrecorded');
    case 'changed':
      return message('danger', firm === undefined ? 'isDamaged' : 'isChanged');
    case 'unknown':
      return message('warning', 'isUnknown');
  }
}

/** The message for a file that was not checked; undefined for an unexpected refusal. */
export function refusalMessage(refused: PortalError | undefined): Message | undefined {
  const keys: Partial<Record<PortalError['code'], string>> = {
    TOO_LARGE: 'fileTooLarge',
    TOO_MANY: 'checkedTooOften',
    TOO_MANY_FILES: 'oneFile',
    EMPTY: 'fileMissing',
    INVALID: 'notReceived',
  };
  const key = refused && keys[refused.code];
  return key === undefined ? undefined : { type: 'danger', namespace: 'seals', key, vars: {} };
}
