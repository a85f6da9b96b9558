/** The word of each action of the trail; another one is shown by its name. */
export const ACTION_WORDS = {
  'session.start': 'didSignIn',
  'session.end': 'didSignOut',
  'document.upload': 'didUpload',
  'document.download': 'didDownload',
  'folder.create': 'didFolder',
  'share.send': 'didShare',
  'share.open': 'didOpenLink',
  'share.download': 'didLinkDownload',
  'share.refuse': 'didWrongCode',
  'view.start': 'didViewStart',
  'view.end': 'didViewEnd',
  'view.read': 'didViewRead',
  'view.refuse': 'didViewRefuse',
  'audit.export': 'didExport',
  'portal.restored': 'didRestore',
} as const;

export type KnownAction = keyof typeof ACTION_WORDS;

export const isKnown = (action: string): action is KnownAction => Object.hasOwn(ACTION_WORDS, action);
