/** What a mail about an article is about: it is done when its reader has seen the article. */
export const aboutArticle = (articleId: string): string => `news:${articleId}`;
