export {
  type ArchivedPart,
  type ArchiveRange,
  archiveInBlobs,
  type Blobs,
  createMemoryArchive,
  type ResultArchive,
} from './archive.ts';
export { createResults, type ResultOptions, type Results, type Shown } from './create-results.ts';
export { type DecodedText, decodeText, looksBinary } from './decode-text.ts';
export { markUntrusted } from './mark-untrusted.ts';
export { readResult } from './read-result.ts';
