export { type BuildImageOptions, type BuiltImage, buildImage } from './build-image.ts';
export { createImageService } from './create-image-service.ts';
export type {
  BuildEvent,
  BuildRequest,
  ImageService,
  PushEvent,
  PushRequest,
} from './image-service.ts';
export { type ImageName, imageNames, recipes } from './recipes.ts';
