import type { Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { TemplateType } from './task-templates.ts';

export const tables = {
  task_templates: { key: ['template_id'] },
  task_template_versions: { key: ['template_id', 'version'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    task_templates: TaskTemplates;
    task_template_versions: TaskTemplateVersions;
  }
}

interface TaskTemplates {
  template_id: string;
  company_id: string;
  name: string;
  name_key: string;
  type: TemplateType;
  /** The starter that it was made from; empty for none. */
  starter: string;
  created_at: Millis;
  created_by: string;
  archived_at: Millis | null;
}

/** A version of a template: at most one is a draft, the newest. A published one never changes. */
interface TaskTemplateVersions {
  template_id: string;
  /** From 1. */
  version: number;
  state: 'draft' | 'published';
  /** Raised with every change of a draft. */
  revision: number;
  due_rule: string;
  /** The questionnaire as JSON. */
  body: string;
  changed_at: Millis;
  published_at: Millis | null;
  published_by: string | null;
}
