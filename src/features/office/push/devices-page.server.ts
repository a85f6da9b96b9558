import { z } from 'zod';
import { deviceName } from '#features/identity/sessions/devices-page.server.ts';
import { describeDevice } from '#features/identity/sessions/devices.ts';
import { PUSH_TOPICS, type PushTopic } from '#features/office/notifications/push-topics.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { defineForm, useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import { publicKey } from './keys.server.ts';
import { declineOffer, hasPush, isIPhone } from './offer.server.ts';
import { listDevices, removeDevice, saveTopics, showTitles, loadTopics } from './subscriptions.server.ts';

const topicsForm = defineForm('push', () => ({
  id: 'push-topics',
  title: 'topicsTitle',
  problemTitle: 'problem',
  submit: 'save',
  busy: 'saving',
  schema: z.strictObject({ topics: z.array(z.enum(PUSH_TOPICS)) }),
  fields: { topics: { kind: 'checkboxes', label: 'topics' } },
}));

const LABELS: Readonly<Record<PushTopic, KeysOf<'push'>>> = {
  documents: 'topicDocuments',
  tasks: 'topicTasks',
  messages: 'topicMessages',
  signatures: 'topicSignatures',
  shares: 'topicShares',
  requests: 'topicRequests',
};

interface Page extends FormPage {
  locals: Pick<App.Locals, 'firm' | 'lang' | 'pathTo' | 'session'>;
}

/**
 * The part of the page of notifications about push notifications: the devices that get them, what about, and the button for
 * this one. Undefined for staff, whom nothing is pushed, in a firm to practice in, and where the operator has turned them off.
 */
export async function pushSection(page: Page) {
  const { lang, pathTo, session } = page.locals;
  if (!hasPush(page.locals)) return undefined;
  const t = translationsFor(lang, 'push');
  const to = pathTo('profile/notifications');
  const done = (key: KeysOf<'push'>) => ({
    to,
    flash: { type: 'success', namespace: 'push', key } as const,
  });
  const response = await useActions(
    page,
    {
      'push-remove': async (id) => {
        await removeDevice(session, id);
        return done('removed');
      },
      'push-not-now': async () => {
        await declineOffer(session);
        return { ...done('offerDeclined'), to: pathTo('tasks') };
      },
      'push-titles': async (id) => {
        await showTitles(session, id, true);
        return done('titlesShown');
      },
      'push-no-titles': async (id) => {
        await showTitles(session, id, false);
        return done('titlesHidden');
      },
    },
    ({ code }) => (code === 'NOT_FOUND' ? { to } : undefined), // it has ended meanwhile
  );
  if (response) return response;
  const devices = (await listDevices(session)).map((device) => ({
    ...device,
    name: deviceName(lang, describeDevice(device.userAgent)),
  }));
  const topics = await useForm(page, topicsForm, {
    values: { topics: await loadTopics(session.actor.contactId) },
    choices: { topics: PUSH_TOPICS.map((topic) => ({ value: topic, text: t(LABELS[topic]) })) },
    submit: async (input) => {
      await saveTopics(session, input.topics);
      return done('topicsSaved');
    },
  });
  if (topics instanceof Response) return topics;
  return {
    devices,
    topics: devices.length > 0 ? topics : undefined,
    publicKey: await publicKey(),
    isOnIPhone: isIPhone(page.request),
  };
}
