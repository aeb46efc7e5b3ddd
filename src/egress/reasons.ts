/** Why a call failed, for the operator. The message holds nothing of an answer. */
export class Reason extends Error {}
/** The host is not allowed, or its name resolves to addresses that its entry does not permit. */
export class AddressRefused extends Reason {}
/** The answer is a redirect, is larger than the limit, or is not text. */
export class AnswerRefused extends Reason {}
