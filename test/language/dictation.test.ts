import { expect, test } from "vitest";
import { languageOf } from "../../src/language/packs/languages.ts";

test.each([
  ["en", "What is your phone number?", "555", "digits"],
  ["en", "What is your phone number?", "555-0123.", "perhaps"],
  ["en", "What is your phone number?", "555 012 3467", "nothing"],
  ["en", "What is your phone number?", "Five, five, five.", "digits"],
  ["en", "What is your phone number?", "It is 555", "digits"],
  ["en", "What is your phone number?", "I don't have one.", "nothing"],
  ["en", "What is your phone number?", "The first one.", "nothing"],
  ["en", "Please tell me your card number.", "4111 1111 1111", "digits"],
  ["en", "Please tell me your card number.", "4111 1111 1111 1111.", "nothing"],
  ["en", "What is your policy number?", "P X 4471", "perhaps"],
  ["en", "Could you spell your name?", "K, O, W", "perhaps"],
  ["en", "What is your room number?", "204", "nothing"],
  ["en", "What are the last four digits of your card number?", "44", "nothing"],
  ["en", "How many people?", "4", "nothing"],
  ["en", "", "My customer number is 4471", "perhaps"],
  ["en", "", "Set a timer for 10 minutes.", "nothing"],
  ["en", "", "Wake me at 730.", "nothing"],
  ["de", "Wie ist Ihre Telefonnummer?", "Null eins sieben eins", "digits"],
  ["de", "Wie ist Ihre Telefonnummer?", "0171 2345 678.", "nothing"],
  ["de", "Wie ist Ihre Zimmernummer?", "204", "nothing"],
  ["de", "Bitte nennen Sie mir Ihre Vertragsnummer.", "4471", "perhaps"],
  ["fr", "Quel est votre numéro de téléphone ?", "06 12 34", "digits"],
  ["fr", "Quel est votre numéro de téléphone ?", "06 12 34 56 78", "nothing"],
  ["es", "¿Cuál es su número de teléfono?", "612 345", "digits"],
  ["es", "¿Cuál es su número de teléfono?", "seis uno dos tres cuatro cinco seis siete ocho", "nothing"],
  ["it", "Qual è il suo numero di telefono?", "347 123", "digits"],
  ["pt", "Qual é o seu número de telefone?", "912 345", "digits"],
  ["nl", "Wat is uw telefoonnummer?", "06 12 34", "digits"],
  ["nl", "Wat is uw telefoonnummer?", "06 12 34 56 78", "nothing"],
  ["sv", "Vad är ditt telefonnummer?", "070", "nothing"],
] as const)("%s: after %j and %j the number lacks %s", (code, said, text, remainder) => {
  expect(languageOf(code).remainder(said, text)).toBe(remainder);
});
