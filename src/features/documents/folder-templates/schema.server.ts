import type { Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { TemplateKind } from './folder-templates.ts';

export const tables = {
  folder_templates: { key: ['template_id'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    folder_templates: FolderTemplates;
  }
}

/** A tree of folders for clients of a kind. */
interface FolderTemplates {
  template_id: string;
  company_id: string;
  name: string;
  name_key: string;
  client_kind: TemplateKind;
  /** The tree as an indented list (folder-templates.ts). */
  folders: string;
  created_at: Millis;
  modified_at: Millis;
}
