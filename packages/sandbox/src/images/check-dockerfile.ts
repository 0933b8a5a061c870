import { ForgeError } from '@forge/core';
import { checkImageName } from './image-name.ts';

export const longestDockerfile = 256 * 1024;

/** All there are. What is none of them is refused, not left to the daemon to make sense of. */
const keywords: ReadonlySet<string> = new Set(
  `ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER RUN SHELL STOPSIGNAL USER
  VOLUME WORKDIR`.split(/\s+/),
);

/** Blanks that Docker takes for such in some places and not in others. */
const oddBlanks = /[^\S \t\n]|[\u0085\ufeff\0]/;

/**
 * What `ADD` may say: flags, and words that mean what they say. Quotes, escapes and variables are
 * undone by the daemon, which then finds an address in them, and fetches it itself: from the host's
 * own network, loopback and metadata address included, whatever network the build has.
 */
const plainAdd = /^(?:--[a-z]+=[\w.:-]+\s+)*[\w./*?+@~=-]+(?:\s+[\w./*?+@~=-]+)*$/i;

/** The lines behind it are instructions to some versions of Docker, and its content to others. */
const hereDocument = /(?:^|\s)\d*<<-?[^<\s]/;

/**
 * Looks through a Dockerfile of somebody who is not trusted. Gives the images it stands on, which
 * the daemon would pull; refuses what would make it fetch or run anything else of the caller's
 * choice outside of the build, and what the daemon might read in another way.
 */
export function checkDockerfile(written: string): readonly string[] {
  if (written.length > longestDockerfile) {
    throw refusal(`it is longer than ${longestDockerfile} bytes`);
  }
  const text = written.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  if (oddBlanks.test(text))
    throw refusal('it has blanks that are not plain ones, or control characters');
  /** Those that are finished, by number and name. To itself a stage is none: its name is an image's. */
  const stages: string[] = [];
  const images = new Set<string>();
  let open: string | undefined;
  const use = (image: string) => {
    if (image.includes('$')) throw refusal(`the image ${image} has to be named outright`);
    if (!stages.includes(image.toLowerCase())) images.add(checkImageName(image));
  };
  for (const instruction of instructionsOf(text)) {
    const { keyword, rest, isKept } = partsOf(instruction);
    if (!keywords.has(keyword)) throw refusal(`"${keyword.slice(0, 40)}" is no instruction`);
    if (keyword === 'FROM') {
      if (rest.startsWith('--')) {
        throw refusal('FROM has a flag, and an image for another platform would be pulled');
      }
      const [image = '', as, name = ''] = rest.split(/\s+/);
      if (open !== undefined) stages.push(open);
      if (image !== 'scratch') use(image);
      open = as?.toUpperCase() === 'AS' ? name.toLowerCase() : '';
    }
    if (keyword === 'RUN' && rest.startsWith('--')) throw refusal('RUN has a flag');
    if (['RUN', 'COPY'].includes(keyword) && hereDocument.test(rest)) {
      throw refusal('it has a here-document (<<)');
    }
    if (keyword === 'ADD' && !plainAdd.test(rest)) {
      throw refusal(
        'ADD may only name files of the context, in plain words. RUN can fetch the rest',
      );
    }
    for (const source of sourcesOf(rest)) {
      if (isKept) throw refusal('ONBUILD has --from, and what that names is not known yet');
      // A number is a stage of this file by its place. One past them may be an image's id.
      const isStage = /^\d+$/.test(source) && Number(source) < stages.length;
      if (!isStage) use(source);
    }
  }
  if (open === undefined) throw refusal('it has no FROM');
  return [...images];
}

/** An instruction, and whether it is kept for builds that stand on this one. */
function partsOf(instruction: string) {
  const [, kept = '', keyword = '', rest = ''] =
    /^((?:ONBUILD\s+)*)(\S*)\s*(.*)$/is.exec(instruction) ?? [];
  return { keyword: keyword.toUpperCase(), rest, isKept: kept !== '' };
}

/** What `--from` names. Flags that the daemon would undo quotes or escapes in are refused. */
function sourcesOf(rest: string): readonly string[] {
  const [flags = ''] = /^(?:--\S*\s*)*/.exec(rest) ?? [];
  if (/[\\"']/.test(flags)) throw refusal('a flag has quotes or escapes in it');
  return [...rest.matchAll(/(?:^|\s)--from=(\S+)/gi)].map(([, image = '']) => image);
}

/** Logical lines, without comments. A directive would change what the lines mean, or who reads them. */
function instructionsOf(text: string): readonly string[] {
  const found: string[] = [];
  let open = '';
  for (const line of text.split('\n')) {
    if (/^\s*#/.test(line)) {
      const directive = /^\s*#\s*(syntax|escape|check)\s*=/i.exec(line)?.[1];
      if (directive !== undefined) throw refusal(`the line "# ${directive}=" is not taken`);
      continue;
    }
    if (open !== '' && line.trim() === '') continue;
    // Whether that line goes on depends on the version of Docker.
    if (/\\\\[ \t]*$/.test(line)) throw refusal('a line ends in two backslashes');
    const isOpen = /\\[ \t]*$/.test(line);
    // Nothing is put between: a word may go on in the next line.
    open += isOpen ? line.replace(/\\[ \t]*$/, '') : line;
    if (isOpen) continue;
    if (open.trim() !== '') found.push(open.trim());
    open = '';
  }
  if (open.trim() !== '') found.push(open.trim());
  return found;
}

function refusal(problem: string): ForgeError {
  return new ForgeError('not_allowed', `This Dockerfile cannot be built here: ${problem}.`);
}
