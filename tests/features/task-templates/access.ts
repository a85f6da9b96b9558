import { copyTemplate } from '#features/tasks/task-templates/templates.server.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toWriters, toWritersWithId } from '../../authz/page-policy.ts';
import { unique } from '../../authz/request-fixtures.ts';

const QUESTIONNAIRE = {
  format: 1,
  key: 'papers',
  country: 'US',
  languages: ['en-us'],
  label: { 'en-us': 'Papers' },
  sections: [
    {
      key: 'papers',
      label: { 'en-us': 'Papers' },
      items: [{ kind: 'files', key: 'statements', label: { 'en-us': 'Statements' } }],
    },
  ],
};

export const access: FeatureAccess = {
  rules: {
    'get /api/client-center/v3/task-templates': { who: 'staff', forWriters: true },
    'post /api/client-center/v3/task-templates': {
      who: 'staff',
      changes: ['task_templates', 'task_template_versions'],
    },
    'get /api/client-center/v3/task-templates/{templateId}': {
      who: 'staff',
      forWriters: true,
      answers: [404],
    },
    'patch /api/client-center/v3/task-templates/{templateId}': { who: 'staff', answers: [404] },
    'post /api/client-center/v3/task-templates/{templateId}/publish': { who: 'staff', answers: [404] },
    'delete /api/client-center/v3/task-templates/{templateId}': { who: 'staff', answers: [404] },
  },
  requests: {
    'get /api/client-center/v3/task-templates': [{ ids: {} }],
    'post /api/client-center/v3/task-templates': [
      {
        ids: {},
        send: () => ({ json: { name: unique('Template'), form: QUESTIONNAIRE } }),
        named: ['dueRule', 'type', 'tag', 'folder'],
      },
    ],
    'get /api/client-center/v3/task-templates/{templateId}': [{ ids: { templateId: 'task' } }],
    'patch /api/client-center/v3/task-templates/{templateId}': [
      {
        ids: { templateId: 'task' },
        send: () => ({ json: { revision: 1, name: unique('Template') } }),
        named: ['dueRule', 'form'],
      },
    ],
    'post /api/client-center/v3/task-templates/{templateId}/publish': [
      { ids: { templateId: 'task' }, send: () => ({ json: { revision: 1 } }) },
    ],
    'delete /api/client-center/v3/task-templates/{templateId}': [{ ids: { templateId: 'task' } }],
  },
  pages: {
    '/[base]/[lang]/staff/tasks/templates': toWriters,
    '/[base]/[lang]/staff/tasks/templates/new': toWriters,
    '/[base]/[lang]/staff/tasks/templates/[templateId]': toWritersWithId,
    '/[base]/[lang]/staff/tasks/templates/[templateId]/edit': toWritersWithId,
  },
  placeholders: { templateId: 'tasktemplate_0' },
  fuzz: {
    prepare: async ({ sam }) => {
      const template = await copyTemplate(sam, 'starter-uk-personal', 'Our template');
      return { known: { templateId: [template, 'tasktemplate_none'] } };
    },
    notHere: {
      'POST /api/client-center/v3/task-templates': 'a form of anything is seldom a questionnaire',
      'PATCH /api/client-center/v3/task-templates/{templateId}': 'revisions seldom fit by chance',
      'POST /api/client-center/v3/task-templates/{templateId}/publish': 'revisions seldom fit by chance',
    },
  },
};
