/** What push notifications are about, as people choose it. */
export const PUSH_TOPICS = ['documents', 'tasks', 'messages', 'signatures', 'shares', 'requests'] as const;
export type PushTopic = (typeof PUSH_TOPICS)[number];
