export const REHEARSE_USAGE =
  "oakvoice rehearse [--profile starter|cpu|gpu] [--callers 1,2,4] [--json FILE] [--keep DIR]";
