/** What is written on a run so that whoever takes it up again works as was asked. */
export const projectLabel = 'forge.project';
/** What the command line said of the settings, as JSON. */
export const flagsLabel = 'forge.flags';
/** The configuration it was begun with, if the command line named one. */
export const configLabel = 'forge.config';
