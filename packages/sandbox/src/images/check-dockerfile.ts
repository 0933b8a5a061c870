import { ForgeError } from '@forge/core';

const longest = 256 * 1024;

/**
 * Looks through a Dockerfile of somebody who is not trusted. Gives the images it stands on, which
 * the daemon would pull; refuses what would make it fetch or run anything else of the caller's
 * choice outside of the build.
 */
export function checkDockerfile(
  text: string,
  { network }: { network: boolean },
): readonly string[] {
  if (text.length > longest) throw refusal(`it is longer than ${longest} bytes`);
  const stages = new Set<string>(['scratch']);
  const images = new Set<string>();
  const use = (image: string) => {
    if (image.includes('$')) throw refusal(`the image ${image} has to be named outright`);
    if (!stages.has(image.toLowerCase()) && !/^\d+$/.test(image)) images.add(image);
  };
  for (const instruction of instructionsOf(text)) {
    const [, keyword = '', rest = ''] =
      /^(?:ONBUILD\s+)*([A-Za-z]+)\s*(.*)$/is.exec(instruction) ?? [];
    const flags = [...rest.matchAll(/(?:^|\s)--([a-z]+)=(\S+)/gi)];
    switch (keyword.toUpperCase()) {
      case 'FROM': {
        const words = rest.split(/\s+/).filter((word) => word !== '' && !word.startsWith('--'));
        use(words[0] ?? '');
        if (words[1]?.toUpperCase() === 'AS') stages.add((words[2] ?? '').toLowerCase());
        break;
      }
      case 'ADD':
        if (!network && /:\/\/|git@|\$/.test(rest)) {
          throw refusal('ADD may only name files of the context: there is no network');
        }
        break;
    }
    for (const [, flag, value = ''] of flags) if (flag?.toLowerCase() === 'from') use(value);
  }
  if (images.size === 0 && stages.size === 1 && !/^\s*FROM\s/im.test(text)) {
    throw refusal('it has no FROM');
  }
  return [...images];
}

/** Logical lines, without comments. A directive would change what the lines mean, or who reads them. */
function instructionsOf(text: string): readonly string[] {
  const found: string[] = [];
  let open = '';
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    if (/^\s*#/.test(line)) {
      const directive = /^\s*#\s*(syntax|escape|check)\s*=/i.exec(line)?.[1];
      if (directive !== undefined) throw refusal(`the line "# ${directive}=" is not taken`);
      continue;
    }
    if (open !== '' && line.trim() === '') continue;
    const isOpen = /\\\s*$/.test(line);
    open += isOpen ? `${line.replace(/\\\s*$/, '')} ` : line;
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
