import {
  canonicalJson,
  ForgeError,
  type ImagePart,
  neutralise,
  type TextPart,
  ToolOutput,
  text,
} from '@forge/core';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { Results } from '../../results/index.ts';

const shownImages = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const mostImages = 8;
/** Characters of base64: about 5 MB, which is what model servers take. */
const longestImage = 7_000_000;
/** With its marks it must fit what is shown of an error. */
const longestError = 1_400;

/**
 * What a server answered, as a model may see it: text is cut, made harmless and marked as coming
 * from outside; what no model reads (sound, files) becomes a line that says so. An answer that says
 * it is an error is thrown.
 */
export async function showResult({
  result,
  server,
  results,
}: {
  readonly result: CallToolResult;
  readonly server: string;
  readonly results: Results;
}): Promise<ToolOutput> {
  const images: ImagePart[] = [];
  const texts: string[] = [];
  for (const block of result.content) {
    const shown = showBlock(block, images.length);
    if (typeof shown === 'string') texts.push(shown);
    else images.push(shown);
  }
  const structured = extraStructure(result, texts);
  if (structured !== undefined) texts.push(structured);
  const whole = texts.join('\n');
  if (result.isError === true) {
    const content = neutralise(whole).slice(0, longestError) || 'it gave no reason';
    const said = await results.show({ content, untrusted: `MCP server ${server}`, whole: true });
    throw new ForgeError('tool_failed', `MCP server "${server}" says:\n${said}`);
  }
  const parts: TextPart[] = [];
  if (whole !== '' || images.length === 0) {
    parts.push(text(await results.show({ content: whole, untrusted: `MCP server ${server}` })));
  }
  return new ToolOutput([...parts, ...images]);
}

function showBlock(block: ContentBlock, images: number): string | ImagePart {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image': {
      const { data, mimeType } = block;
      if (!shownImages.has(mimeType)) return `[An image of type ${mimeType}, not shown]`;
      if (data.length > longestImage) return '[An image of more than 5 MB, not shown]';
      if (images >= mostImages) return `[One more image than the ${mostImages} that are shown]`;
      return { type: 'image', mediaType: mimeType, source: { data } };
    }
    case 'audio':
      return `[Sound of type ${block.mimeType}, ${bytesOf(block.data)} bytes, not shown]`;
    case 'resource_link': {
      const description = block.description === undefined ? '' : `: ${block.description}`;
      return `[Link to ${block.name} at ${block.uri}${description}]`;
    }
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return `[${resource.uri}]\n${resource.text}`;
      const type = resource.mimeType ?? 'unknown type';
      return `[${resource.uri}: a file of ${type}, ${bytesOf(resource.blob)} bytes, not shown]`;
    }
    default:
      return block satisfies never;
  }
}

/** Structured content that no text says already: most servers send it both ways. */
function extraStructure(
  { structuredContent }: CallToolResult,
  texts: readonly string[],
): string | undefined {
  if (structuredContent === undefined) return undefined;
  const wanted = tryCanonical(() => structuredContent);
  if (wanted === undefined) return '[Structured content that nests too deep to be shown]';
  const isSaid = texts.some((said) => tryCanonical(() => JSON.parse(said)) === wanted);
  return isSaid ? undefined : JSON.stringify(structuredContent);
}

function tryCanonical(read: () => unknown): string | undefined {
  try {
    return canonicalJson(read());
  } catch {
    return undefined; // Not JSON, or nested deeper than the stack.
  }
}

const bytesOf = (base64: string) => Math.floor((base64.length * 3) / 4);
