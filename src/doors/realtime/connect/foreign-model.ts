/** Clients name a model of OpenAI by default. */
export const isForeignModel = (model: string): boolean => model.startsWith("gpt-");
