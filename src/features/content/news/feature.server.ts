import { clientMerged } from '#features/base/people/merged-clients.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { text } from '#platform/text/texts.server.ts';
import { story } from './demo-story.server.ts';
import { newsApi } from './api.server.ts';
import { newsWidget } from './home-widget.server.ts';
import { sendNewsMails } from './mails.server.ts';
import { articleNames } from './names.server.ts';
import { searchKinds } from './search-kinds.server.ts';
import { tables } from './schema.server.ts';
import { followMergedClient, NEWS_MAILS } from './writing.server.ts';
import type messages from '../../../../locales/en-us/news.json';

const auditActions = {
  'news.create': { text: text('news', 'didCreate') },
  'news.change': { text: text('news', 'didChange') },
  'news.publish': { text: text('news', 'didPublish') },
  'news.withdraw': { text: text('news', 'didWithdraw') },
  'news.delete': { text: text('news', 'didDelete') },
} as const satisfies AuditActionDeclarations;

const mails = {
  news: { label: text('news', 'mailKind'), optional: { contact: text('news', 'mailNotify') } },
} as const satisfies MailKindDeclarations;

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    news: typeof mails;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    news: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    news: typeof messages;
  }
}

const path = '/api/br-news/v1/articles';
const guard = { who: 'signed-in', part: 'dashboards' } as const;

export const news = defineFeature<FeatureApi>({
  name: 'news',
  story,
  notifications: { news: { icon: 'newspaper', ofMails: ['news'] } },
  navigation: [
    {
      side: 'staff',
      page: 'staff/news',
      order: 45,
      label: text('news', 'title'),
      icon: 'newspaper',
      key: 'n',
    },
    {
      side: 'new',
      group: 'firm',
      page: 'staff/news/new',
      order: 30,
      label: text('news', 'oneArticle'),
      icon: 'newspaper',
    },
  ],
  search: searchKinds,
  widgets: [newsWidget],
  tables,
  auditActions,
  names: { article: articleNames },
  mails,
  api: {
    app: newsApi,
    routes: [
      { method: 'get', path: `${path}/shared`, ...guard },
      { method: 'get', path: `${path}/shared/{id}`, ...guard },
      { method: 'post', path: `${path}/{id}/mark-as-seen`, ...guard },
    ],
  },
  subscriptions: [on(clientMerged, followMergedClient)],
  jobs: { [NEWS_MAILS]: { run: sendNewsMails, isSlow: true } },
});
