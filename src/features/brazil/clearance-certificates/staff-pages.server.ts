import type { Actor } from '#features/base/people/people.ts';
import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useForm, type Destination, type Page } from '#platform/forms/forms.server.ts';
import { useList } from '#platform/forms/lists.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import type { Column } from '#ui/table/table.ts';
import { keepsCertificates, todayOf } from './access.server.ts';
import { agencyOf, isNational } from './agencies.ts';
import { agencyChoices, agencyName, isAgency } from './agency-names.server.ts';
import { attemptsByIds, listAttempts, noteAttempt, withdrawAttempt } from './attempts.server.ts';
import { followedActions, followedColumns, historyActions, historyColumns } from './columns.server.ts';
import { fileCertificate, fileCertificates, type CertificateFile, type FiledFile } from './filing.server.ts';
import {
  changeFollowing,
  followAgency,
  followedOf,
  listFollowed,
  unfollowAgency,
} from './following.server.ts';
import {
  answerForm,
  certificateForm,
  certificatesForm,
  followForm,
  followingForm,
  PROBLEM_TEXTS,
} from './forms.server.ts';
import { DEFAULT_RENEW_DAYS } from './lights.ts';
import { historyList } from './lists.server.ts';
import { lightSentence } from './sentences.server.ts';

interface StaffPage extends Page {
  url: URL;
  locals: Page['locals'] & { session: { actor: Actor }; pathTo: PathTo };
}

const PAGE = 30;

const done = (
  to: string,
  key: KeysOf<'clearance-certificates'>,
  vars: Record<string, string | number> = {},
): Destination => ({ to, flash: { type: 'success', namespace: 'clearance-certificates', key, vars } });

const fileOf = async (file: File): Promise<CertificateFile> => ({
  name: file.name,
  bytes: Buffer.from(await file.arrayBuffer()),
});

/** The agencies of a client for its staff, and the form that follows another one. */
export async function clientCertificatesPage(page: StaffPage, clientId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const client = await clientRecord(actor, clientId);
  const here = `staff/clients/${client.id}/clearance-certificates`;
  const isKeeper = keepsCertificates(actor) && client.archivedDate === null;
  const form = await useForm(page, followForm, {
    values: { agency: 'federal', renewBeforeDays: String(DEFAULT_RENEW_DAYS) },
    choices: { agency: agencyChoices(lang) },
    submit: async (value) => {
      await followAgency(actor, { clientId: client.id, ...value });
      return done(pathTo(here), 'followed', { agency: agencyName(lang, value.agencyId) });
    },
  });
  if (form instanceof Response) return form;
  const followed = await listFollowed(actor, client.id);
  const documents = await newestDocuments(actor, followed);
  return {
    client,
    followed,
    isKeeper,
    form,
    hasNumber: client.taxIds.some(({ kind }) => kind === 'cnpj' || kind === 'cpf'),
    columns: followedColumns(lang, {
      today: await todayOf(actor),
      firm: (await firmOf(actor.companyId)).name,
      pageOf: ({ agencyId }) => pathTo(`${here}/${agencyId}`),
    }),
    actions: followedActions(lang, pathTo, documents),
  };
}

/** The documents of the newest certificates, by the ids of these. */
export async function newestDocuments(
  actor: Actor,
  followed: readonly { currentAttemptId: string | null }[],
): Promise<Map<string, string>> {
  const ids = followed.flatMap(({ currentAttemptId: id }) => (id === null ? [] : [id]));
  const attempts = await attemptsByIds(actor, ids);
  return new Map(
    attempts.flatMap(({ id, documentId }) => (documentId === null ? [] : [[id, documentId] as const])),
  );
}

/** An agency of a client for its staff: the history, and the forms that file a certificate, note an answer, and change it. */
export async function agencyPage(page: StaffPage, clientId: string, agencyId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const client = await clientRecord(actor, clientId);
  if (!isAgency(agencyId)) throw notFound();
  const target = { clientId: client.id, agencyId };
  const of = `staff/clients/${client.id}/clearance-certificates`;
  const here = pathTo(`${of}/${agencyId}`);
  const agency = agencyName(lang, agencyId);
  const pressed = await useActions(page, {
    unfollow: async () => {
      await unfollowAgency(actor, client.id, agencyId);
      return done(pathTo(of), 'unfollowed', { agency });
    },
    withdraw: async (attemptId) => {
      await withdrawAttempt(actor, attemptId);
      return done(here, 'withdrawn');
    },
  });
  if (pressed) return pressed;
  const followed = await followedOf(actor, client.id, agencyId);
  const forms = await agencyForms(page, target, { here, followed });
  if (forms instanceof Response) return forms;
  const { query, pager } = useList(page, historyList);
  const { items, totalItems } = await listAttempts(actor, { ...target, start: query.from, limit: PAGE });
  const isKeeper = keepsCertificates(actor);
  const t = translationsFor(lang, 'clearance-certificates');
  return {
    client,
    agency,
    isNational: isNational(agencyOf(agencyId)?.kind ?? ''),
    followed,
    sentence: lightSentence(lang, followed, {
      today: await todayOf(actor),
      firm: (await firmOf(actor.companyId)).name,
    }),
    isKeeper,
    mayFile: isKeeper && client.archivedDate === null,
    ...forms,
    items,
    columns: historyColumns(lang),
    actions: historyActions(lang, pathTo, ({ id }) =>
      isKeeper ? [{ label: t('withdraw'), name: 'withdraw', value: id, isDangerous: true }] : [],
    ),
    pager: pager(totalItems, PAGE),
  };
}

async function agencyForms(
  page: StaffPage,
  target: { clientId: string; agencyId: string },
  { here, followed }: { here: string; followed: { renewBeforeDays: number; notifiesClient: boolean } },
) {
  const { actor } = page.locals.session;
  const filing = await useForm(page, certificateForm, {
    submit: async ({ file: [file], ...typed }) => {
      if (!file) throw notFound();
      const isNew = await fileCertificate(actor, target, { file: await fileOf(file), typed });
      return done(here, isNew ? 'filed' : 'filedAlready');
    },
  });
  if (filing instanceof Response) return filing;
  const answering = await useForm(page, answerForm, {
    submit: async (value) => {
      await noteAttempt(actor, { ...target, ...value });
      return done(here, 'noted');
    },
  });
  if (answering instanceof Response) return answering;
  const settings = await useForm(page, followingForm, {
    values: {
      renewBeforeDays: String(followed.renewBeforeDays),
      notifiesClient: followed.notifiesClient,
    },
    submit: async (value) => {
      await changeFollowing(actor, { ...target, ...value });
      return done(here, 'saved');
    },
  });
  return settings instanceof Response ? settings : { filing, answering, settings };
}

/** Files several certificates, and what became of each. */
export async function manyCertificatesPage(page: StaffPage) {
  const { actor } = page.locals.session;
  let outcomes: FiledFile[] | undefined;
  const form = await useForm(page, certificatesForm, {
    submit: async ({ files }) => {
      const read: CertificateFile[] = [];
      for (const file of files) read.push(await fileOf(file));
      outcomes = await fileCertificates(actor, read);
      return undefined;
    },
  });
  return form instanceof Response ? form : { form, outcomes };
}

const OUTCOME_TEXTS = {
  ...PROBLEM_TEXTS,
  filed: 'filed',
  known: 'filedAlready',
  notPdf: 'pdfWrong',
  gone: 'clientArchived',
  refused: 'notStored',
} as const satisfies Record<FiledFile['outcome'], string>;

const isFiled = ({ outcome }: FiledFile): boolean => outcome === 'filed' || outcome === 'known';

export function outcomeColumns(lang: Lang): Column<FiledFile>[] {
  const t = translationsFor(lang, 'clearance-certificates');
  return [
    { key: 'name', label: t('columnFile'), text: ({ name }) => name, isRowHeader: true },
    {
      key: 'outcome',
      label: t('columnOutcome'),
      text: ({ outcome }) => t(OUTCOME_TEXTS[outcome], { number: '', own: '' }),
      isProblem: (row) => !isFiled(row),
      isWide: true,
    },
  ];
}
