import { placesOf } from '../shared/read-body.ts';

export const { requestPlace, replyPlace } = placesOf('Ollama');
