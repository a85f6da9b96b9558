import { defineForm, type Field } from '#platform/forms/forms.server.ts';
import type { KeysOf } from '#platform/text/translations.server.ts';
import { retentionRules } from './retention.ts';

const period = (label: 'ofProjects' | 'ofFirm' | 'ofUploads' | 'ofOther'): Field<KeysOf<'retention'>> => ({
  kind: 'select',
  label,
  wrong: 'periodWrong',
});

/** How long the firm keeps documents, by category. */
export const retentionForm = defineForm('retention', () => ({
  id: 'retention',
  title: 'periods',
  problemTitle: 'notSaved',
  submit: 'preview',
  schema: retentionRules,
  fields: {
    projects: period('ofProjects'),
    published: period('ofFirm'),
    uploads: period('ofUploads'),
    other: period('ofOther'),
    xml: { kind: 'select', label: 'ofXml', hint: 'ofXmlHint', wrong: 'xmlWrong' },
  },
}));
