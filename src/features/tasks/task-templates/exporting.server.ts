import { db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { rowPages } from '#platform/database/row-pages.server.ts';
import { text } from '#platform/text/texts.server.ts';

/** The task templates of a firm with all their versions, one to a line: a questionnaire is no table. */
export const exportedTemplates: Contributions['exports'][number] = {
  of: 'export',
  name: 'task-templates.jsonl',
  text: text('task-templates', 'exportFile'),
  isInternal: true,
  content: ({ firm }) => templateLines(firm.companyId),
};

/** Questionnaires are large. */
const PAGE = 20;

async function* templateLines(companyId: string) {
  const pages = rowPages(
    ['task_template_versions.template_id', 'task_template_versions.version'],
    (page) =>
      db()
        .selectFrom('task_template_versions')
        .innerJoin('task_templates', 'task_templates.template_id', 'task_template_versions.template_id')
        .selectAll('task_template_versions')
        .select(['task_templates.name', 'task_templates.type', 'task_templates.archived_at'])
        .where('task_templates.company_id', '=', companyId)
        .$call(page)
        .execute(),
    { size: PAGE },
  );
  for await (const rows of pages)
    for (const row of rows)
      yield `${JSON.stringify({
        id: row.template_id,
        name: row.name,
        type: row.type,
        isArchived: row.archived_at !== null,
        version: row.version,
        state: row.state,
        due: row.due_rule,
        publishedAt: row.published_at === null ? null : new Date(row.published_at).toISOString(),
        questionnaire: JSON.parse(row.body) as unknown,
      })}\n`;
}
