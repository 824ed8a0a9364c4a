import type { TypeDocumentation } from "@orchernetes/apimachinery";

export const conversionReviewDocumentation: TypeDocumentation = {
  ConversionReview: {
    "": "What orch-apiserver sends to a conversion webhook and gets back.",
    request: "The objects to convert; set in what is sent.",
    response: "The converted objects; set in what comes back.",
  },
  ConversionRequest: {
    "": "Asks to convert objects.",
    uid: "Tells requests apart; the response repeats it.",
    desiredAPIVersion: "Group and version that is wanted, such as example.com/v1.",
    objects: "The objects, of any version of the kind.",
  },
  ConversionResponse: {
    "": "The answer of a conversion webhook.",
    uid: "The uid of the request.",
    convertedObjects:
      "The objects in the wanted version and in the order of the request. Empty when the conversion failed. Of metadata only labels and annotations may differ.",
    result: "Success, or Failure with a message that the client gets to see.",
  },
};
