import { ForgeError } from '@forge/core';

const longest = 256 * 1024;

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

/**
 * Looks through a Dockerfile of somebody who is not trusted. Gives the images it stands on, which
 * the daemon would pull; refuses what would make it fetch or run anything else of the caller's
 * choice outside of the build, and what the daemon might read in another way.
 */
export function checkDockerfile(written: string): readonly string[] {
  if (written.length > longest) throw refusal(`it is longer than ${longest} bytes`);
  const text = written.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  if (oddBlanks.test(text))
    throw refusal('it has blanks that are not plain ones, or control characters');
  const stages = new Set<string>(['scratch']);
  const images = new Set<string>();
  let begun = 0;
  const use = (image: string) => {
    if (image.includes('$')) throw refusal(`the image ${image} has to be named outright`);
    if (!stages.has(image.toLowerCase())) images.add(image);
  };
  const instructions = instructionsOf(text);
  for (const instruction of instructions) {
    const { keyword, rest } = partsOf(instruction);
    if (!keywords.has(keyword)) throw refusal(`"${keyword.slice(0, 40)}" is no instruction`);
    if (keyword === 'FROM') {
      const words = rest.split(/\s+/).filter((word) => word !== '' && !word.startsWith('--'));
      use(words[0] ?? '');
      begun += 1;
      if (words[1]?.toUpperCase() === 'AS') stages.add((words[2] ?? '').toLowerCase());
    }
    if (keyword === 'ADD' && !plainAdd.test(rest)) {
      throw refusal(
        'ADD may only name files of the context, in plain words. RUN can fetch the rest',
      );
    }
    for (const source of sourcesOf(rest)) {
      // A number is a stage of this file by its place. One past them may be an image's id.
      const isStage = /^\d+$/.test(source) && Number(source) < begun;
      if (!isStage) use(source);
    }
  }
  if (!instructions.some((instruction) => partsOf(instruction).keyword === 'FROM')) {
    throw refusal('it has no FROM');
  }
  return [...images];
}

function partsOf(instruction: string): { readonly keyword: string; readonly rest: string } {
  const [, keyword = '', rest = ''] = /^(?:ONBUILD\s+)*(\S*)\s*(.*)$/is.exec(instruction) ?? [];
  return { keyword: keyword.toUpperCase(), rest };
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
