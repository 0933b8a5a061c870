import { type AssistantPart, isJsonObject, type JsonObject } from '@forge/core';
import { argumentsObject } from '../shared/call-arguments.ts';
import { asText } from '../shared/lenient.ts';
import { objectField } from '../shared/provider-fields.ts';
import { geminiFields } from './own-fields.ts';

/** A part of a model's turn, or nothing where Gemini has no word for it. */
export function encodeModelPart(part: AssistantPart): JsonObject | undefined {
  switch (part.type) {
    case 'text': {
      const fields = geminiFields(part);
      const signature = asText(fields.thoughtSignature);
      if (part.text === '' && signature === undefined) return undefined;
      return { ...objectField(fields, 'part'), text: part.text, ...signed(signature) };
    }
    case 'reasoning':
      return {
        ...objectField(geminiFields(part), 'part'),
        text: part.text,
        thought: true,
        ...signed(part.signature),
      };
    case 'tool_call': {
      const fields = geminiFields(part);
      return {
        ...objectField(fields, 'part'),
        functionCall: {
          ...objectField(fields, 'call'),
          ...(fields.generatedId !== true && { id: part.id }),
          name: part.name,
          args: argumentsObject(part),
        },
        ...signed(asText(fields.thoughtSignature)),
      };
    }
    case 'opaque':
      return part.wire === 'gemini' && isJsonObject(part.value) ? part.value : undefined;
    default:
      return part satisfies never;
  }
}

function signed(signature: string | undefined): JsonObject {
  return signature === undefined ? {} : { thoughtSignature: signature };
}
