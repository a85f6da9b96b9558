/**
 * Registers the directive `client:interaction`: an island is hydrated at the first interaction, and earlier
 * input is not lost.
 */
export default () => ({
  name: 'portal:interaction',
  hooks: {
    /** @param {{ addClientDirective: (directive: { name: string, entrypoint: string }) => void }} setup */
    'astro:config:setup': ({ addClientDirective }) =>
      addClientDirective({ name: 'interaction', entrypoint: './src/ui/interaction/directive.ts' }),
  },
});
