/** 500 MB (spec 2, section 5 'Upload'). */
export const MAX_BYTES = 524_288_000;

/**
 * Tells whether an executable extension follows any dot: `invoice.exe.pdf` is one click from running on some
 * computers.
 */
export function isExecutable(name: string): boolean {
  return name
    .toLowerCase()
    .split('.')
    .slice(1)
    .some(
      (part, i, parts) =>
        EXECUTABLE.includes(` ${part.trim()} `) &&
        (i === parts.length - 1 || !ORDINARY.includes(` ${part.trim()} `)),
    );
}

/** Tells whether a file of this name has a certificate with its private key, which is never sent to anybody. */
export const isCertificate = (name: string): boolean => /\.(?:pfx|p12)$/i.test(name);

const EXECUTABLE =
  ' exe com scr pif cpl dll sys ocx drv bat cmd ps1 psm1 psd1 vbs vbe js jse mjs cjs wsf wsh wsc sct hta msi msp mst msix appx application gadget lnk reg scf inf jar jnlp class apk ipa dmg pkg app command deb rpm sh bash zsh csh ksh elf run desktop url website py pyc ';

// Words that are common in names, especially the domains of shops: `order at amazon.com.pdf`. At the end they
// are executables.
const ORDINARY = ' com run command application class website url desktop ';
