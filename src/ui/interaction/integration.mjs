/**
 * Registers `client:interaction`: an island starts when the person first touches it, and nothing done before
 * is lost.
 */
export default () => ({
  name: 'portal:interaction',
  hooks: {
    /** @param {{ addClientDirective: (directive: { name: string, entrypoint: string }) => void }} setup */
    'astro:config:setup': ({ addClientDirective }) =>
      addClientDirective({ name: 'interaction', entrypoint: './src/ui/interaction/directive.ts' }),
  },
});
