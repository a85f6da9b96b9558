import { articlesIn } from '#features/content/help/articles.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { Page as FormPage } from '#platform/forms/forms.server.ts';
import { useList } from '#platform/forms/lists.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Column } from '#ui/table/table.ts';
import type { Feedback } from './feedback.ts';
import { FEEDBACK_A_PAGE, listFeedback, markFeedbackSeen } from './feedback.server.ts';
import { feedbackList } from './lists.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** The feedback that the firm got, as a table; the answer to what is posted marks one as read. */
export async function feedbackPage(page: Page) {
  const { lang, session } = page.locals;
  const t = translationsFor(lang, 'feedback');
  const { query, urlFor, pager } = useList(page, feedbackList);
  const response = await useActions(page, {
    seen: async (feedbackId) => {
      await markFeedbackSeen(session.actor, feedbackId);
      return { to: urlFor({ pageNum: query.pageNum }) };
    },
  });
  if (response) return response;
  const { feedback, total } = await listFeedback(session.actor, query.pageNum);
  const articles = articlesIn(lang);
  const columns: Column<Feedback>[] = [
    { key: 'author', label: t('columnAuthor'), text: ({ author }) => author, textStyle: 'person' },
    {
      key: 'rating',
      label: t('columnRating'),
      text: ({ rating }) => t(rating),
      isProblem: ({ rating }) => rating === 'bad',
      isPlain: true,
    },
    {
      key: 'message',
      label: t('columnMessage'),
      text: ({ message }) => message,
      isRowHeader: true,
      isWide: true,
    },
    {
      key: 'about',
      label: t('columnAbout'),
      text: ({ articleId, page: given }) => articles.get(articleId ?? '')?.title ?? (given || t('inGeneral')),
      textStyle: 'meta',
    },
    { key: 'at', label: t('columnDate'), at: ({ createdAt }) => createdAt, textStyle: 'meta' },
  ];
  return {
    rows: feedback,
    columns,
    actionsOf: ({ feedbackId, isSeen }: Feedback) =>
      isSeen ? [] : [{ label: t('markSeen'), name: 'seen', value: feedbackId }],
    pager: pager(total, FEEDBACK_A_PAGE),
  };
}
