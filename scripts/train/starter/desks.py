"""Requests to businesses, as data: the tool for each matter, its values, and the words for it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Slot:
    """A value of a call: names of its parameter, how it is added to a request, how a question is answered, the question, and its repetition."""

    names: tuple[str, ...]
    tail: str
    answer: str
    question: str
    echo: str = ""


@dataclass(frozen=True)
class Matter:
    """One thing that callers want: the tool with its slots, the words for it, and the reply.

    `optional`: slots that may be left out. `pool`: values of the slots `item`, `what` and `place`. `finds`: key and kind of the value in a
    result. `makes` and `changes`: something with a name that one matter makes and another one changes, by its name and one other slot.
    """

    names: tuple[str, ...]
    said: tuple[str, ...]
    slots: tuple[str, ...]
    wants: tuple[str, ...]
    reply: str
    optional: tuple[str, ...] = ()
    pool: tuple[str, ...] = ()
    finds: tuple[str, str] | None = None
    makes: str = ""
    changes: str = ""
    own: Mapping[str, Slot] = field(default_factory=dict)

    def slot(self, name: str) -> Slot:
        return self.own.get(name) or SLOTS[name]


def words(text: str) -> tuple[str, ...]:
    """The alternatives of a list. Those within brackets belong to one of them."""
    return tuple(re.split(r"\|(?![^\[]*\])", text.replace("\n", "")))


SLOTS = {
    "name": Slot(words("name|name|name|guest|customer|caller_name|patient|client|under|for"), "under {name}|for {name}|my name is {name}|the name is {name}|under the name {name}|this is {name}", "{name}|{name}|my name is {name}|it's {name}|under {name}|the name is {name}|it's under {name}",
                 "[May I have your name|What name should I put it under|What is the name|Under what name|And your name, please]?", "under {name}"),
    "person": Slot(words("with|person|whom|staff|adviser|doctor"), "with {person}|to see {person}", "{person}|with {person}", "[With whom|Who would you like to see|Whose appointment is it]?", "with {person}"),
    "day": Slot(words("day|day|day|date|weekday|on|when"), "{on_day}", "{on_day}|{day}|for {day}", "[On which day|What day would that be|For what day|For when|Which day would you like]?", "{on_day}"),
    "time": Slot(words("time|time|time|at|hour|start"), "at {time}|for {time}", "at {time}|{time}|{time}", "[At what time|What time would you like|For what time]?", "at {time}"),
    "nights": Slot(words("nights|nights|number_of_nights|length"), "for {nights} night{nights_s}", "{nights} night{nights_s}|{nights}|for {nights} night{nights_s}", "[How many nights|For how many nights|How long will you stay]?", "for {nights} night{nights_s}"),
    "people": Slot(words("people|people|guests|persons|seats|count"), "for {people}|for {people} people|for {people} persons", "{people}|for {people}|{people} people", "[For how many people|How many people will that be|How many of you]?", "for {people}"),
    "quantity": Slot(words("quantity|amount|count|number|how_many"), "", "{quantity}", "How many?"),
    "money": Slot(words("amount|sum|dollars|value"), "{money} dollars", "{money} dollars|{money}", "[How much|What amount]?", "{money} dollars"),
    "room": Slot(words("room|room|room|room_number|number"), "in room {room}|to room {room}|for room {room}|room {room}|in {room}", "room {room}|{room}|it's room {room}|to room {room}|in room {room}", "[To which room|Which room|Which room is it|What is your room number]?", "room {room}"),
    "table": Slot(words("table|table|table_number|number"), "to table {table}|at table {table}|for table {table}|table {table}", "table {table}|{table}|it's table {table}", "[Which table|Which table is it]?", "table {table}"),
    "bed": Slot(words("bed|bed|bed_number|room|number"), "in bed {bed}|to bed {bed}|for bed {bed}|bed {bed}", "bed {bed}|{bed}|it's bed {bed}", "[Which bed|Which bed is it]?", "bed {bed}"),
    "number": Slot(words("number|number|code|id|reference"), "number {number}|the number is {number}|with the number {number}", "{number}|it's {number}|the number is {number}|number {number}", "[What is the number|Which number|May I have the number]?"),
    "street": Slot(words("street|address|to|destination|place|where"), "to {street}|in {street}|at {street}", "{street}|to {street}|in {street}", "[What is the address|To which street|Which street]?", "{street}"),
    "place": Slot(words("destination|to|destination|place|where"), "to the {place}", "the {place}|to the {place}|{place}", "[Where to|Where would you like to go|To which place]?", "to the {place}"),
    "city": Slot(words("city|city|place|town|location"), "in {city}|for {city}", "{city}|in {city}", "[Which city|In which city]?", "in {city}"),
    "item": Slot(words("item|item|what|thing|article|product"), "", "{some}|{some}|{item}", "[What would you like|What can I bring you|What do you need]?"),
    "what": Slot(words("what|subject|object|title|kind|type|name"), "{what}|the {what}", "{what}|the {what}|a {what}", "[Which one|What is it|Which one is it]?", ""),
}

CAN = "[i need|i'd like|i want|can i get|could i have|can you get me|i would like|please get me]"
I_WANT = "[i'd like to|i need to|i want to|can i|could i|i would like to|please|can you|]"
PLACES = words("airport|station|museum|harbor|hospital|city center|hotel|stadium|theater|university|market|beach|zoo|library|town hall|old town|castle|bus stop|ferry|conference center")
GOODS = words("""towels|pillows|blankets|cups|glasses|umbrella|iron|hair dryer|charger|soap|slippers|robe|toothbrush|kettle|newspaper|extra chair|water|coffee|tea|sandwich|salad|soup|breakfast|bottle of wine|
ice|plates|spoons|forks|candles|fan|heater|cot|wheelchair|walker|menu|toilet paper|shampoo|adapter|ironing board|vase|bucket|sheets""")
DISHES = words("pizza|salad|soup|burger|steak|pasta|sandwich|coffee|tea|water|lemonade|cake|fries|beer|juice|omelette|toast|pancakes|rice|curry|noodles|ice cream|espresso|fish")
FAULTS = words("shower|heating|toilet|television|lamp|window|sink|air conditioning|door lock|bath|phone|fridge|socket|radiator|lift|wifi|coffee machine|safe|light|ceiling fan")
PAPERS = words("contract|invoice|receipt|statement|letter|form|certificate|policy|report|agreement|will|offer|reminder|brochure|ticket|copy")
FILMS = words("the river|night train|the last king|blue summer|the lost city|two brothers|the winter garden|red moon|the old man|silver wings|the long road|paper boats|the lighthouse")
COURSES = words("yoga|pilates|swimming|boxing|spinning|dance|tennis|climbing|stretching|massage|sauna|aerobics|judo|rowing")
DRUGS = words("ibuprofen|aspirin|insulin|cough syrup|eye drops|nose spray|plasters|vitamins|ointment|antibiotics|sleeping pills|bandages|iron tablets|hand cream")
PARTS = words("tires|battery|brakes|windshield|oil|filter|mirror|bumper|spark plugs|wipers|headlight|clutch|exhaust|radiator|fuse|belt")
DAMAGE = words("car|bicycle|roof|window|phone|kitchen|boat|laptop|fence|garage|luggage|television|cellar|carpet")


def made(kind: str, make: str, change: str, cancel: str, slots: str, wants: str, reply: str, spoken: str = "") -> tuple[Matter, ...]:
    """Something that callers make, change and cancel by its name."""
    of_it = f"my [{spoken or kind}|{kind}|booking]"
    movable = tuple(slot for slot in slots.split() if slot != "name")
    return (
        Matter(words(make), words(f"Books a {kind}.|Makes a {kind}.|Reserves a {kind}.|New {kind}."), tuple(slots.split()), words(wants), reply, makes=kind),
        Matter(words(change), words(f"Changes a {kind}.|Moves a {kind}.|Changes a booking.|Changes a {kind}; only what is new."), ("name", *movable),
               (f"[i need to|i'd like to|can i|can you|i want to|please] [change|move] {of_it}", f"[i need to|i'd like to|can you|please] [move|change] the {spoken or kind}", f"there is a change to {of_it}"),
               f"your {spoken or kind} is changed.", optional=movable, changes=kind),
        Matter(words(cancel), words(f"Cancels a {kind}.|Cancels a booking.|Deletes a {kind}."), ("name",),
               (f"[i want to|i need to|i'd like to|can you|please|can i|i have to] cancel {of_it}", f"cancel the {spoken or kind}", f"i don't need my {spoken or kind} anymore", f"please delete {of_it}"), f"[your {spoken or kind} is cancelled|it is cancelled].", changes=kind),
    )


DESKS: dict[str, tuple[Matter, ...]] = {
    "hotel": (
        *made("stay", "reserve_stay|book_room|reserve_room|new_stay|book_stay|room_booking|make_booking", "move_stay|change_stay|change_room_booking|move_booking|update_stay", "cancel_stay|cancel_room|delete_stay|cancel_room_booking", "nights day people name",
              f"{CAN} a room|{I_WANT} [book|reserve] a room|do you have a room|a room please|is there a room free|[book|reserve] me a room", "your room is booked {on_day} for {nights} night{nights_s}, under {name}.", "room"),
        Matter(words("request_taxi|order_taxi|call_taxi|book_taxi|get_cab|taxi"), words("Orders a taxi.|Calls a taxi.|Books a taxi for a guest."), words("place|day|time|name"), words(f"{CAN} a [taxi|cab]|[can you|please|could you] [call|order|book] me a [taxi|cab]|a [taxi|cab] please|{I_WANT} [order|book] a taxi"),
               "your taxi to the {place} comes {on_day} at {time}.", pool=PLACES, makes="ride"),
        Matter(words("deliver|bring|bring_item|send_to_room|room_delivery|housekeeping|send_item|bring_to_room"), words("Brings something to a room.|Sends a thing to a room.|Delivers an item to a room."), words("room|item|quantity"),
               words(f"{CAN} {{some}}|[please|can you|could you|would you|] [send|bring] [me |us |]{{some}}|[could|can] we [have|get] {{some}}|we need {{some}}|there are no {{item}}|we have no {{item}}|room {{room}} needs {{some}}|{{some}} please|send {{some}} up"),
               "[{some} for room {room}|I'll send {some} to room {room}].", optional=("quantity",), pool=GOODS),
        Matter(words("plan_wake_up|wake_up_call|set_wake_up|wake|add_wake_up|morning_call"), words("Plans a wake-up call.|Plans a wake-up call for a room.|Wakes a guest by telephone."), words("room|time"),
               words("[please|can you|could you|] wake me [up|] at {time}|[i need|i'd like|can i have|could i get] a wake up call|a wake up call please|[please|] call me at {time} to wake up|{room} [would like|wants] a wake up call at {time}|i have to get up at {time}"), "[we will wake you at {time}|a wake up call for room {room} at {time}]."),
        Matter(words("bill_of_room|get_bill|room_bill|check_bill|bill|invoice_of_room"), words("Tells the bill of a room.|What a room has to pay.|The bill of a room so far."), words("room"),
               words("[how much|what] is [the|my] bill [of|for] room {room}|how much [do i owe|do i have to pay|is my bill|is the bill]|what is on [my|the] bill|can you tell me [my|the] bill|[what|how much] does room {room} [owe|have to pay]"), "[The bill of room {room} is|It's] {found} dollars.", finds=("amount", "money")),
        Matter(words("report_fault|report_problem|repair|maintenance|call_technician|fault_in_room"), words("Reports a fault in a room.|Something in a room is broken.|Sends a technician to a room."), words("room|what"),
               words("the {what} [does not work|is broken|doesn't work|is out of order|leaks|has a problem]|there is a problem with the {what}|my {what} [is broken|does not work|stopped working]|[can somebody|can you] [repair|fix|look at] the {what}"), "[a technician will look at the {what}|the {what} is reported].", pool=FAULTS),
        Matter(words("clean_room|order_cleaning|make_up_room|send_cleaner"), words("Has a room cleaned.|Sends the cleaners to a room."), words("room"), words("[please|can you|could you] clean [my|our|the] room|[can|could] [my|our|the] room be cleaned|room {room} needs cleaning|our room is dirty|we need [the cleaner|a cleaner|cleaning]"), "[room {room} will be cleaned|the cleaners come to room {room}]."),
        Matter(words("late_checkout|extend_checkout|set_checkout"), words("Sets a later check-out.|A later check-out for a room."), words("room|time"), words("[can|could] [we|i] check out [later|at {time}]|i need a late check out|[can|could] [we|i] [stay|keep the room] until {time}|is a late check out possible"), "you can stay until {time}."),
    ),
    "clinic": (
        *made("appointment", "book_appointment|new_appointment|make_appointment|schedule_visit|add_appointment", "move_appointment|change_appointment|reschedule|reschedule_appointment", "cancel_appointment|delete_appointment|cancel_visit", "person day time name",
              f"{CAN} an appointment|{I_WANT} [make|book|schedule] an appointment|an appointment please|i need to see {{person}}|can i come [in|by]|{I_WANT} see {{person}}", "your appointment is {on_day} at {time}."),
        Matter(words("order_prescription|refill|renew_prescription|request_prescription|prescription"), words("Orders a prescription.|Renews a prescription of a patient.|A new prescription."), words("what|name"), words("i need [more|a prescription for|a refill of] {what}|my {what} [is empty|ran out]|[please|can you|could you] [renew|refill] my {what}|{what} on prescription please"), "the prescription for {what} is ordered.", pool=DRUGS),
        Matter(words("test_result|lab_result|get_result|find_result|check_results"), words("Finds the result of a test.|Tells whether a test is back.|Result of a test by its number."), words("number"), words("is my test [back|ready]|what is [the|my] result|are [my|the] [results|test results] [there|back|ready]|[i'm calling|i call] about my test"), "[Your test is|The result is] {found}.", finds=("result", "normal/not back yet/negative/positive/ready/with the doctor")),
        Matter(words("call_back|request_callback|plan_callback|ask_for_call"), words("Asks a doctor to call back.|Plans a call back."), words("name|time"), words("[can|could] [the doctor|somebody] call me back|please call me back|i'd like [to be called back|a call back]|[can you|please] [call|ring] me [back|] at {time}"), "[we will call you at {time}|you will get a call at {time}]."),
        Matter(words("waiting_time|check_queue|get_waiting_time|how_long"), words("Tells the waiting time in minutes.|How long patients wait now."), (), words("how long [is the wait|do i have to wait|is the queue|will it take]|is it busy [now|today]|what is the waiting time|do i have to wait long"), "[It's about|The wait is about] {found} minutes.", finds=("minutes", "count")),
    ),
    "ward": (
        Matter(words("call_nurse|send_nurse|nurse|page_nurse|request_nurse"), words("Calls a nurse to a bed.|Sends a nurse.|A nurse for a bed."), words("bed"), words(f"{CAN} [a nurse|the nurse|some help]|[please|can you|could you] [send|call] [a|the] nurse|i [am in pain|fell|feel sick|can't breathe well|need help]|nurse please|bed {{bed}} needs [a nurse|help]"), "[a nurse will come to bed {bed}|a nurse is coming]."),
        Matter(words("order_meal|order_food|meal|bring_meal|request_meal"), words("Orders a meal for a bed.|A meal for a patient."), words("bed|item"), words(f"{CAN} {{some}}|[could|can] i [have|get] {{some}}|[please|] bring [me|] {{some}}|{{some}} for bed {{bed}}|i'm hungry can i have {{some}}"), "{some} for bed {bed}.", pool=DISHES),
        Matter(words("find_patient|locate_patient|room_of_patient|where_is"), words("Tells the room of a patient.|Finds a patient.|Where a patient is."), words("name"), words("where is {name}|which room is {name} in|i'm looking for {name}|[can you tell me|do you know] where {name} is|i want to visit {name}|in which room [is|can i find] {name}"), "{name} is in room {found}.", finds=("room", "count")),
        Matter(words("visiting_hours|get_visiting_hours|visits"), words("Tells when visits end.|The visiting hours of a day."), words("day"), words("until when can i visit|when are [the|] visiting hours|when [can i come to visit|does visiting end]|how late can i visit {on_day}"), "[Visits end|You can visit until] {found}.", finds=("until", "time")),
        Matter(words("set_bed|move_bed|adjust_bed"), words("Raises or lowers a bed.|Moves a bed to a position."), words("bed|what"), words("[please|can you|could you] [put|set|move] [my|the] bed [to|in|into] [the|] {what} position|i want to [sit|lie] in the {what} position|{what} position please"), "[the bed is|your bed is] in the {what} position.", pool=words("flat|upright|low|high|sitting|sleeping")),
        Matter(words("order_transport|patient_transport|book_porter|call_porter"), words("Sends a porter who takes a patient somewhere.|Orders a transport to a department."), words("bed|place"), words("[i need|can i get|please send] [a porter|transport]|[i have to|i need to|please take me] [go |]to the {place}|bed {bed} has to go to the {place}"), "a porter will take you to the {place}.", pool=words("x-ray|laboratory|garden|operating room|pharmacy|exit|cafeteria|chapel|physiotherapy")),
    ),
    "bank": (
        Matter(words("get_balance|balance|check_balance|account_balance|read_balance"), words("Tells the balance of an account.|How much is on an account.|The balance in dollars."), words("number"), words("what is my balance|how much [money|] [is on|do i have on|is in] my account|[can you|please] [tell me|check] my balance|[what|how much] is on [the|my] account"), "[There are|Your balance is] {found} dollars.", finds=("balance", "money")),
        Matter(words("block_card|lock_card|stop_card|report_card|freeze_card"), words("Blocks a card.|Blocks a lost card by its last digits."), words("number"), words("i lost my card|[please|can you|could you] [block|stop|lock|freeze] my card|my card [was stolen|is gone|is lost]|somebody stole my card|block [the|my] card"), "[your card is blocked|the card is blocked]."),
        Matter(words("send_money|transfer_money|pay|make_payment|wire"), words("Sends money to a person.|Pays a sum to somebody.|Transfers money."), words("money|name"), words("[please|can you|i want to|i'd like to|] [send|transfer|pay] {money} dollars to {name}|[please|] [pay|give] {name} {money} dollars|i want to make a [transfer|payment]|[i want to|i need to] send [some|] money [to somebody|]"), "{money} dollars are on the way to {name}."),
        Matter(words("order_card|new_card|request_card"), words("Orders a new card.|A new card for a customer."), words("name"), words(f"{CAN} a new card|my card [is broken|expired|does not work]|[please|can you] send me a new card|{I_WANT} order a card"), "a new card is ordered for {name}."),
        *made("meeting", "book_meeting|plan_meeting|new_meeting|schedule_meeting|book_adviser", "move_meeting|change_meeting|reschedule_meeting", "cancel_meeting|delete_meeting", "day time name",
              f"{CAN} [a meeting|to see an adviser]|{I_WANT} [talk to|meet|see] an adviser|[i need|] advice about [a loan|a house|my savings]|{I_WANT} [book|plan|make] a meeting", "your meeting is {on_day} at {time}, under {name}."),
        Matter(words("last_payment|get_last_payment|last_transaction"), words("Tells the last payment of an account.|The last payment from an account in dollars."), words("number"), words("what was [my|the] last payment|how much did i [pay|spend] last|[can you|please] tell me [my|the] last [payment|transaction]"), "[Your|The] last payment was {found} dollars.", finds=("amount", "money")),
        Matter(words("exchange_rate|price_of_currency|currency|get_rate"), words("Tells what a currency costs.|Price of a hundred dollars in a currency."), words("what"), words("what [is|are] a hundred dollars in {what}|how [is|much is] the {what} today|what is the [rate|exchange rate] of the {what}|i want to change money into {what}"), "[It's|A hundred dollars are] {found} {what}.", pool=words("euros|pounds|francs|yen|pesos|crowns|rupees"), finds=("rate", "money")),
    ),
    "law firm": (
        *made("consultation", "book_consultation|new_consultation|schedule_consultation|plan_meeting|book_lawyer", "move_consultation|change_consultation|reschedule", "cancel_consultation|delete_consultation", "day time name",
              f"{CAN} [a consultation|a lawyer|to see a lawyer]|{I_WANT} [talk to|see|meet] a lawyer|i need [legal advice|legal help]|{I_WANT} [book|make] [a consultation|an appointment]", "your consultation is {on_day} at {time}, under {name}.", "consultation"),
        Matter(words("case_status|get_case|check_case|find_case|status_of_case"), words("Tells the status of a case.|How far a case is.|Status by the number of a case."), words("number"), words("[what is|how is] [the status of|] my case|how far is my case|is there news [in|about|on] my case|[i'm calling|i call] about my case|what about my case"), "[Your case is|The case is] {found}.", finds=("status", "open/closed/in court/won/with the judge/waiting for papers")),
        Matter(words("send_document|mail_document|send_paper|request_document|send_copy"), words("Sends a document to a client.|Mails a paper to somebody."), words("what|name"), words("[please|can you|could you] send me [the|my|a] {what}|i need [the|my|a] {what}|[can|could] i [have|get] [the|my|a] {what}|[the|a] {what} please"), "the {what} is on its way to {name}.", pool=PAPERS),
        Matter(words("take_message|leave_note|call_back|request_callback"), words("Asks a lawyer to call a client back.|Notes that somebody called."), words("person|name"), words("[can|could] {person} call me back|please tell {person} that i called|i'd like {person} to call me|is {person} there please ask them to call me"), "{person} will call you back."),
        Matter(words("fee|get_fee|price_of_consultation|check_fee"), words("Tells the price of an hour in dollars.|What an hour costs."), (), words("how much [is|does] [an hour|a consultation|it] [cost|]|what [are your fees|do you charge|does it cost]|what is the [price|fee]"), "[An hour is|It's] {found} dollars.", finds=("dollars", "money")),
    ),
    "restaurant": (
        *made("table", "reserve_table|book_table|new_reservation|table_booking|hold_table", "move_table|change_reservation|change_table|update_reservation", "cancel_table|cancel_reservation|delete_reservation", "people day time name",
              f"{CAN} a table|{I_WANT} [book|reserve] a table|do you have a table|a table [please|]|is there a table free|we want to [eat|come] [with you|]", "your table for {people} is booked {on_day} at {time}, under {name}.", "table"),
        Matter(words("order|order_dish|add_order|new_order|order_food|add_to_order"), words("Orders a dish.|Takes an order of a table.|Adds a dish to the order of a table."), words("table|item|quantity"), words(f"{CAN} {{some}}|[could|can] we [have|get] {{some}}|i'll [have|take] {{some}}|{{some}} [for|to] table {{table}}|[we'd like|we want] {{some}}|{{some}} please"), "{some} for table {table}.", optional=("quantity",), pool=DISHES),
        Matter(words("table_bill|bill|get_bill|check_table|bill_of_table"), words("Tells the bill of a table.|What a table has to pay."), words("table"), words("[the|our] bill please|we'd like to pay|how much [do we have to pay|is our bill|is it]|what is the bill of table {table}|can we pay"), "[That's|The bill is] {found} dollars.", finds=("total", "money")),
        Matter(words("call_waiter|send_waiter|waiter|service"), words("Sends a waiter to a table."), words("table"), words("[can you|please|could you] send [a|the] waiter|we need [a|the] waiter|[waiter|service] please|can somebody come to [our table|table {table}]"), "a waiter will come to table {table}."),
        Matter(words("dish_of_the_day|daily_special|get_special|menu_of_day"), words("Tells the dish of a day.|The special of a day."), words("day"), words("what is the [dish of the day|special] [{on_day}|]|what do you have {on_day}|what can i eat {on_day}|what is on the menu {on_day}"), "[It's|We have] {found}.", finds=("dish", "fish with rice/tomato soup/roast chicken/lasagne/mushroom risotto/beef stew")),
        Matter(words("delivery|order_delivery|deliver_food|send_food"), words("Delivers a dish to a street.|Brings food to an address."), words("item|street"), words("[can you|could you|please] deliver {some}|{some} to {street}|i'd like {some} delivered|[i want|i need] {some} [to|at] {street}"), "{some} to {street}.", pool=DISHES),
    ),
    "garage": (
        *made("service", "book_service|plan_service|new_service|schedule_service|book_inspection", "move_service|change_service|reschedule_service", "cancel_service|delete_service", "day time name",
              f"my car needs [a service|an inspection|a check]|{CAN} [a service|an inspection] [for my car|]|{I_WANT} [bring|have] my car [in|checked|serviced]|[my|the] car has to be [checked|serviced]", "your car is expected {on_day} at {time}, under {name}.", "service"),
        Matter(words("repair_status|check_repair|get_status|is_ready|car_status"), words("Tells whether a car is ready.|Status of a repair by its number."), words("number"), words("is my car [ready|done|finished]|[what about|how is] my car|when is my car ready|can i [pick up|get|collect] my car"), "[Your car is|It's] {found}.", finds=("status", "ready/in repair/waiting for parts/being washed/not ready yet/on the lift")),
        Matter(words("tow|tow_truck|send_tow_truck|roadside_help|breakdown"), words("Sends a tow truck to a street.|Help on the road."), words("street"), words("my car [broke down|does not start|won't start|stopped]|i need [a tow truck|help with my car]|[please|can you] send [a tow truck|somebody]|i had [an accident|a flat tire]"), "a tow truck is on its way to {street}."),
        Matter(words("price_of_part|part_price|get_price|price"), words("Tells the price of a part.|What a part costs."), words("what"), words("how much [is|are|do|does] [the|new|a set of|] {what} [cost|]|what [do|does|is the price of] [new|the|] {what} [cost|]|the price of {what} please"), "[That's|The price is] {found} dollars.", pool=PARTS, finds=("price", "money")),
        Matter(words("order_part|order_parts|get_part"), words("Orders a part for a customer."), words("what|name"), words("[please|can you|could you] order [new|the|] {what} [for me|]|i need [new|] {what}|i need to replace the {what}"), "the {what} [are|is] ordered.", pool=PARTS),
        Matter(words("rent_car|courtesy_car|loan_car|book_car"), words("Lends a car for a day.|A car to rent for a day."), words("day|name"), words(f"{CAN} [a car|a rental car|another car] [in the meantime|]|{I_WANT} rent a car|can you lend me a car"), "a car is ready for you {on_day}."),
    ),
    "public library": (
        Matter(words("renew|renew_book|extend_loan|prolong"), words("Renews a loan.|Extends the loan of a book."), words("what"), words("[can you|i want to|i'd like to|please|can i] [renew|extend|keep] {what} [a bit longer|]|i need {what} for longer"), "[{what} is renewed|you can keep {what}].", pool=FILMS),
        Matter(words("find_book|search_book|where_is_book|shelf_of_book"), words("Tells the shelf of a book.|Finds a book."), words("what"), words("where [is|can i find] {what}|do you have {what}|i'm looking for {what}|is {what} [there|in|available]"), "It's on shelf {found}.", pool=FILMS, finds=("shelf", "count")),
        Matter(words("reserve_book|hold_book|put_on_hold"), words("Holds a book for a reader.|Reserves a book."), words("what|name"), words("[can you|please|could you] [hold|reserve] {what} [for me|]|i'd like to [borrow|reserve] {what}|i want {what}"), "{what} is held for {name}.", pool=FILMS),
        Matter(words("fees|check_fees|get_fees|open_fees"), words("Tells the fees of a card.|What a reader has to pay."), words("number"), words("[do i have|are there] any fees|how much do i owe|what do i have to pay|[are there|do i have] [late fees|fees] on my card"), "[You owe|The fees are] {found} dollars.", finds=("fees", "money")),
        Matter(words("book_study_room|reserve_study_room|study_room"), words("Books a study room.|Reserves a room to work in."), words("day|time|name"), words(f"{CAN} a [study room|room to work in|quiet room]|{I_WANT} [book|reserve] a study room"), "a study room is booked {on_day} at {time}, for {name}."),
    ),
    "cinema": (
        Matter(words("buy_tickets|reserve_tickets|book_tickets|tickets|reserve_seats"), words("Reserves tickets.|Tickets for a film.|Books seats for a film."), words("what|people|day"), words("[i'd like|i need|can i get|could i have|we want] [tickets|seats] for {what}|{people} [tickets|seats] for {what}|[book|reserve] {people} [tickets|seats] for {what}|we want to see {what}"), "{people} ticket{people_s} for {what} {on_day}.", pool=FILMS),
        Matter(words("cancel_tickets|return_tickets|refund_tickets"), words("Cancels tickets by their number.|Takes tickets back."), words("number"), words("[i want to|i need to|can i|please] [cancel|return] my tickets|i can't come to the film|[can i get|i want] my money back for the tickets"), "[your tickets are cancelled|the tickets are cancelled]."),
        Matter(words("show_time|film_time|get_time|when_is_film|start_of_film"), words("Tells when a film starts.|The time of a film on a day."), words("what|day"), words("when [is|does|do you show] {what} [start|]|what time [is|does] {what} [start|begin|]|at what time is {what} {on_day}"), "[It starts|{what} starts] at {found}.", pool=FILMS, finds=("start", "time")),
        Matter(words("ticket_price|price|get_price"), words("Tells the price of a ticket on a day."), words("day"), words("how much [is|are] [a ticket|tickets|the tickets] {on_day}|what [does|do] [a ticket|tickets] cost|what is the price of a ticket"), "[A ticket is|It's] {found} dollars.", finds=("price", "count")),
        Matter(words("lost_property|report_lost|find_lost|lost_item"), words("Searches for a lost thing.|Tells whether a lost thing was found."), words("item"), words("i [lost|forgot|left] my {item} [in the cinema|there|]|did you find my {item}|has somebody found my {item}"), "[It is|Your {item} is] {found}.", pool=words("jacket|bag|phone|wallet|scarf|glasses|hat|keys|watch|gloves|ring"), finds=("result", "here/not here/at the counter/not found")),
    ),
    "sports club": (
        *made("course", "book_course|join_class|book_class|sign_up|register", "move_course|change_class|change_course", "cancel_course|cancel_class|leave_class", "day time name",
              f"{CAN} a place in [the course|the class|a class]|{I_WANT} [join|book|sign up for] [a class|a course|the course]|can i come to a class", "you are in the course {on_day} at {time}, {name}.", "class"),
        Matter(words("book_court|reserve_court|court|reserve_lane"), words("Books a court.|Reserves a court by the hour."), words("day|time|name"), words(f"{CAN} a [tennis court|court]|{I_WANT} [book|reserve] a court|is a court free|we want to play tennis"), "a court is booked {on_day} at {time}."),
        Matter(words("next_class|when_is_class|class_time|time_of_course"), words("Tells when a course is.|The time of the next class."), words("what"), words("when is [the next |]{what} [class|course|]|what time is {what}|at what time does {what} start|is there {what} today"), "[The next one is at|{what} starts at] {found}.", pool=COURSES, finds=("time", "time")),
        Matter(words("membership_fee|get_fee|price|monthly_fee"), words("Tells the monthly fee.|What a month costs."), (), words("how much [is|does] [a month|a membership|membership] [cost|]|what does it cost [a month|]|what is the [monthly fee|fee]"), "[A month is|It's] {found} dollars.", finds=("fee", "money")),
        Matter(words("pause_membership|freeze_membership|stop_membership"), words("Pauses a membership.|A membership rests for a time."), words("name"), words("[i want to|can i|i'd like to|please] [pause|freeze|stop] my membership|i can't [train|come] for [a while|a month]"), "your membership is paused."),
    ),
    "utility": (
        Matter(words("report_outage|outage|power_cut|report_power_cut"), words("Reports a power cut in a street.|A street without power or water."), words("street"), words("[the power|the water|the light|everything] is [out|off|gone] [here|]|there is no [power|water|light]|[we have|i have] no [power|water|electricity]|i want to report [a power cut|an outage]"), "[the outage in {street} is reported|somebody looks at {street}]."),
        Matter(words("meter_reading|send_reading|submit_reading|read_meter"), words("Takes the reading of a meter.|Notes what a meter shows."), words("number"), words("i [want to give|have] [you|] [the|my] [meter reading|reading]|my meter [shows|says] {number}|the meter is at {number}|the reading is {number}"), "[your reading is {number}|I have noted {number}]."),
        Matter(words("get_invoice|open_bill|bill|check_account"), words("Tells what a customer has to pay.|The open bill of a customer number."), words("number"), words("how much [is|do i owe on] my bill|what do i have to pay|is there an open bill|[how high|how much] is my bill"), "[Your bill is|It's] {found} dollars.", finds=("open", "money")),
        *made("technician visit", "book_technician|send_technician|plan_visit|new_visit", "move_visit|change_visit|move_technician", "cancel_visit|cancel_technician", "day time name",
              f"{CAN} a technician|[please|can you] send a technician|somebody has to look at [my heating|my meter|the pipes]|my [heating|boiler|meter] is broken", "a technician comes {on_day} at {time}, to {name}.", "visit"),
        Matter(words("change_address|move_house|new_address|set_address"), words("Changes the address of a customer.|A customer moves to another street."), words("name|street"), words("i'm moving|i [moved|have a new address]|[please|i want to|i need to] change my address|we move to {street}|my new address is {street}"), "your new address is {street}."),
    ),
    "insurer": (
        Matter(words("report_damage|report_claim|new_claim|open_claim|damage"), words("Reports damage.|Opens a claim.|A new claim of a customer."), words("what|name"), words("my {what} [is broken|was damaged|was stolen|has damage]|i [want to|need to] report [damage to|a claim for] my {what}|there was [an accident|a fire|a storm] and my {what} is damaged|somebody broke my {what}"), "the damage to your {what} is reported.", pool=DAMAGE),
        Matter(words("claim_status|check_claim|get_claim|status"), words("Tells the status of a claim.|How far a claim is."), words("number"), words("[what is|how is] [the status of|] my claim|is my claim [paid|done|approved]|what about my claim|[i'm calling|i call] about my claim"), "[Your claim is|It's] {found}.", finds=("status", "paid/approved/refused/open/in review/missing a photo")),
        Matter(words("get_premium|premium|price_of_insurance|quote"), words("Tells the price of an insurance.|What an insurance costs in a year."), words("what"), words("how much is [insurance|an insurance] for [my|a] {what}|what does it cost to insure [my|a] {what}|i want to insure my {what}"), "[It's|That is] {found} dollars a year.", pool=DAMAGE, finds=("premium", "money")),
        Matter(words("cancel_policy|end_contract|cancel_contract|end_policy"), words("Ends a policy.|Cancels a contract by its number."), words("number"), words("[i want to|i need to|i'd like to|please] [cancel|end] my [policy|contract|insurance]|i don't want [the|this|my] insurance anymore"), "[your policy is cancelled|the contract ends]."),
        Matter(words("send_certificate|send_papers|mail_card|send_document"), words("Sends a paper to a customer."), words("what|name"), words("[please|can you|could you] send me [the|my|a] {what}|i need [the|my|a] {what}|[can|could] i [have|get] [the|my|a] {what}"), "the {what} is on its way.", pool=PAPERS),
    ),
    "pharmacy": (
        Matter(words("check_stock|in_stock|stock|has_product"), words("Tells how many of a product are there.|Whether a product is in stock."), words("item"), words("do you have {item}|is {item} [in stock|there|available]|have you got {item}|can i get {item}"), "[We have|There are] {found}.", pool=DRUGS, finds=("stock", "count")),
        Matter(words("refill|order_refill|fill_prescription|prepare"), words("Prepares a prescription by its number.|Fills a prescription."), words("number"), words("[i want to|i'd like to|please|can you] [fill|refill] my prescription|i have a prescription|my prescription [please|]"), "[your prescription is being prepared|it will be ready soon]."),
        Matter(words("deliver|home_delivery|send_home|deliver_to"), words("Brings a product to a street.|Delivers to an address."), words("item|street"), words("[can you|could you|please] [deliver|bring] {item}|{item} to {street}|i can't come can you send {item}"), "{item} to {street}.", pool=DRUGS),
        Matter(words("put_aside|reserve_product|hold_item|keep"), words("Keeps a product for a customer.|Puts a product aside."), words("item|name"), words("[can you|please|could you] [keep|hold|put aside] {item} [for me|]|i'd like to [pick up|collect] {item} [later|]|keep {item} for {name}"), "{item} is kept for {name}.", pool=DRUGS),
        Matter(words("price|get_price|price_of_product"), words("Tells the price of a product."), words("item"), words("how much is {item}|what does {item} cost|the price of {item} please|what is the price of {item}"), "[It's|{item} is] {found} dollars.", pool=DRUGS, finds=("price", "count")),
    ),
    "airline": (
        Matter(words("flight_status|check_flight|get_flight|departure"), words("Tells when a flight leaves.|Departure of a flight by its number."), words("number"), words("when does my flight [leave|go|depart]|is [my|the] flight [on time|late]|[what about|how is] flight {number}|when does flight {number} leave"), "[It leaves|Your flight leaves] at {found}.", finds=("departure", "time")),
        Matter(words("find_baggage|trace_bag|baggage|lost_baggage"), words("Tells where a suitcase is.|Finds baggage by its number."), words("number"), words("my [bag|suitcase|luggage] [is lost|did not arrive|is missing]|where is my [bag|suitcase|luggage]|i can't find my [bag|suitcase]"), "[Your bag is|It's] {found}.", finds=("place", "in London/in Berlin/in Miami/on its way/at the counter/not found")),
        *made("flight", "book_flight|reserve_flight|new_flight|buy_flight", "move_flight|change_flight|rebook", "cancel_flight|return_flight", "city day name",
              f"{CAN} a flight|{I_WANT} [fly|book a flight] to {{city}}|{I_WANT} [book|reserve] a flight|a flight to {{city}}", "your flight to {city} is booked {on_day}, for {name}.", "flight"),
        Matter(words("special_meal|order_meal|meal"), words("Orders a special meal for a passenger."), words("what|name"), words("[i'd like|i need|can i have|could i get] a {what} meal|{what} [food|meal] please|i only eat {what} food"), "a {what} meal is ordered for {name}.", pool=words("vegetarian|vegan|kosher|halal|diabetic|gluten free|child")),
        Matter(words("assistance|request_wheelchair|order_assistance|help_at_airport"), words("Help for a passenger at the airport."), words("name|day"), words("i need [a wheelchair|help|assistance] at the airport|my [mother|father] needs [a wheelchair|help]|[can|could] [somebody|you] help me at the airport"), "somebody will help you {on_day}."),
    ),
    "parcel service": (
        Matter(words("track|track_parcel|where_is_parcel|find_parcel|parcel_status"), words("Tells where a parcel is.|Tracks a parcel by its number."), words("number"), words("where is my [parcel|package]|my [parcel|package] [did not come|is late|has not arrived]|[can you|please] [track|find] my [parcel|package]|when does my [parcel|package] come"), "[Your parcel is|It's] {found}.", finds=("place", "in Chicago/on its way/at the station/delivered/in the depot/with your neighbor")),
        Matter(words("pick_up|order_pickup|collect_parcel|plan_pickup"), words("Collects a parcel at a street.|Plans a pick-up."), words("street|day"), words("[i want to send|i have] a [parcel|package]|[can|could] you [pick up|collect] a [parcel|package]|please [pick up|collect] a [parcel|package]|a pick up please"), "we collect it {on_day}, {street}."),
        Matter(words("price_of_parcel|postage|get_price|price"), words("Tells the price of a parcel to a city."), words("city"), words("how much is a [parcel|package] to {city}|what does [it|a parcel] to {city} cost|what do i pay for a [parcel|package] to {city}|how much is postage"), "[It's|That's] {found} dollars.", finds=("price", "count")),
        Matter(words("change_delivery|move_delivery|new_day|redeliver"), words("Moves a delivery to another day."), words("number|day"), words("[can you|please|could you] [bring|deliver] my [parcel|package] {on_day}|i'm not at home [can you come another day|]|[i want to|can i] [move|change] my delivery"), "we bring it {on_day}."),
        Matter(words("leave_with|leave_at|drop_off"), words("Leaves a parcel with a neighbour."), words("number|name"), words("[please|can you] leave [my|the] [parcel|package] [with|at] {name}|{name} can take my [parcel|package]|leave it with a neighbor"), "we leave it with {name}."),
    ),
    "office": (
        Matter(words("report_absence|sick_note|absent|mark_absent"), words("Notes that a person is absent.|Notes who is ill on a day."), words("name|day"), words("i [am|'m] [sick|ill]|i can't come [in|to work]|[my son|my daughter] is ill|i will not be there|{name} is [ill|sick] {on_day}"), "[I've noted it|{name} is noted as absent] {on_day}."),
        *made("meeting room", "book_meeting_room|reserve_room|room_booking|hold_room", "move_room|change_room_booking|move_meeting", "cancel_room|free_room|cancel_meeting_room", "day time name",
              f"{CAN} a [meeting room|conference room]|{I_WANT} [book|reserve] [a meeting room|the conference room]|is a meeting room free", "the meeting room is booked {on_day} at {time}, for {name}.", "room"),
        Matter(words("visitor|register_visitor|announce_visitor|visitor_badge|expect_guest"), words("Registers a visitor.|Announces a guest on a day."), words("name|day"), words("i have a [visitor|guest]|[please|i want to|] [register|announce] [a visitor|a guest]|[we expect|i expect] {name}|{name} will visit us"), "{name} is registered {on_day}."),
        Matter(words("parking|book_parking|reserve_parking|parking_space"), words("Reserves a parking space.|A parking space on a day."), words("name|day"), words(f"{CAN} a [parking space|parking spot|place to park]|{I_WANT} park [here|] {{on_day}}|where can i park|can you reserve parking"), "a parking space is reserved {on_day}, for {name}."),
        Matter(words("order_supplies|order_item|supplies|order_material"), words("Orders supplies for the office.|Orders office material."), words("item|quantity"), words(f"{CAN} {{some}}|we [need|are out of|ran out of] {{item}}|[please|can you] order {{some}}|we need {{some}}"), "{some} [are|is] ordered.", optional=("quantity",), pool=words("paper|pens|folders|toner|envelopes|stamps|staples|notebooks|chairs|coffee|cups|markers|labels|batteries|cables|screens")),
        Matter(words("phone_number|extension|find_extension|get_extension"), words("Tells the extension of a person.|The telephone number of a colleague."), words("name"), words("what is [the number|the extension] of {name}|how can i [reach|call] {name}|[the|] [number|extension] of {name} please|i need {name}'s number"), "{name} has the extension {found}.", finds=("extension", "count")),
    ),
}
