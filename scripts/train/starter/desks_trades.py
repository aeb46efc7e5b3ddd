"""More businesses with a line for each matter: names of the tool | what it does | slots | words of callers | the reply | values or result."""

from desks import Matter, Slot, words

AN = "[i need|i'd like|i want|can i get|could i have|i would like]"
I = "[i'd like to|i need to|i want to|can i|could i|please|can you|could you|i have to|]"
TRADES = {
    "hair salon": """
book_haircut,new_haircut,reserve_chair|Books a haircut.,A haircut with a hairdresser.|person day time name|{AN} a haircut;my hair is too long;can somebody cut my hair|your haircut is {on_day} at {time}.
order_product,sell_product,send_product|Sells a hair product.,Sends a product to a customer.|item quantity|{AN} {some};do you sell {some};send me {some}|{some}, noted.|shampoo/hair spray/brush/comb/hair dye/conditioner/hair mask/hair clip
colour_advice,hair_colour|Notes the colour that a customer wants.,Plans a new hair colour.|colour name|{I} [dye|colour] my hair;i want another hair colour|your hair will be {colour}.
waiting_list,join_list|Puts a customer on the waiting list.,Adds a name to the list of people who wait.|name|put me on the [list|waiting list];{I} wait for a free chair;is there a waiting list for me|you are on the list.""",
    "golf club": """
book_tee_time,reserve_round|Books a round of golf.,Reserves a start on the course.|people day time name|{I} play golf;{AN} a tee time;{I} [book|play] a round|your round starts at {time}.
rent_clubs,hire_clubs|Rents golf clubs.,Lends golf clubs for a day.|quantity day|{AN} golf clubs;{I} rent clubs;i have no clubs|the clubs are ready.
member_points,check_handicap|Tells the handicap of a member.,The handicap of a player.|name|what is my handicap;[tell me|check] my handicap|your handicap is {found}.|=handicap:count
course_state,is_course_open|Tells the state of a hole.,Whether a hole can be played.|number|[can we play|is it dry on|what about] hole {number};how is the course|hole {number} is {found}.|=state:open/closed/wet/dry/under repair""",
    "bike shop": """
repair_bike,plan_repair|Plans the repair of a bicycle.,Repairs a bicycle.|what day name|my {what} is broken;the {what} of my bike [does not work|is broken];{I} [have|get] my {what} repaired|we will repair the {what}.|chain/brakes/front wheel/saddle/gears/light/pedal/bell/tire
rent_bike,hire_bicycle|Rents bicycles.,Lends bicycles for some days.|quantity day name|{I} rent a bike;{AN} a bike for a day;can we rent bikes|the bikes are ready.
order_part,get_part|Orders a part for a bicycle.,A part for a bicycle.|item number|{AN} {some};[order|get me] {some}|{some} is on order.|helmet/inner tube/bike lock/basket/child seat/pump/bike computer/water bottle
is_bike_ready,repair_status|Tells whether a repair is done.,The state of a repair.|number|is my bike [ready|done|fixed];what about my repair|it is {found}.|=status:ready/not ready/waiting for a part/almost ready""",
    "print shop": """
print_cards,order_cards,order_prints|Prints something.,Orders prints.|item quantity colour|{AN} {some};[print|make] {some};{I} have {some} printed|{some}, in print.|business card/flyer/poster/wedding card/menu/calendar/booklet/sticker
delivery_day,when_ready|Tells when an order is ready.,The day on which prints are done.|number|when [is my order|are my prints] ready;when can i [get|pick up] my prints|on {found}.|=day:day
send_proof,mail_proof|Sends a proof to a street.,Mails a proof of the print.|street|[send|mail] me a proof;{AN} a proof|the proof is on its way.
price_of_prints,quote|Tells the price of prints.,What a number of prints costs.|quantity item|[how much|what] [are|do you charge for|is the price of] {some};what do {some} cost|that is {found} dollars.|=price:money|poster/flyer/business card/photo book/banner/sticker""",
    "car rental": """
rent_car,book_car,reserve_car|Rents a car.,Reserves a car for some days.|what day name|{AN} a {what};{I} rent a {what}|a {what} is reserved {on_day}.|van/small car/family car/pickup/truck/convertible/electric car/minibus
extend_rental,keep_longer|Extends a rental.,A longer rental.|number day|{I} keep the car [longer|until {day}];{I} [extend|prolong] my rental|you can keep it.
report_accident,car_damage|Reports damage to a car.,Reports an accident.|number street|i had an accident;the car is damaged;somebody [hit|damaged] the car|i noted the accident.
where_is_station,return_station|Tells where cars are returned in a city.,The station of a city.|city|where [do|can] i return the car;where is your station|it is at {found}.|=station:the airport/the main station/the harbor/the old market""",
    "plumber": """
send_plumber,order_plumber|Sends a plumber to an address.,A plumber comes.|street day time|{AN} a plumber;[send|get me] a plumber;water is coming out of the wall|a plumber comes at {time}.
report_leak,leak|Reports a leak.,Something leaks.|what street|my {what} leaks;the {what} is [leaking|dripping];water comes out of the {what}|we look at the {what}.|sink/pipe/shower/boiler/toilet/radiator/washing machine/tap
repair_price,cost_of_repair|Tells the price of a repair.,What a repair costs.|what|[how much|what] is it to repair a {what};what do you charge for a {what}|about {found} dollars.|=price:money|sink/pipe/boiler/toilet/shower/tap
cancel_visit,stop_visit|Cancels a visit.,The plumber does not come.|name|cancel the [visit|plumber];i don't need the plumber anymore|the visit is cancelled.""",
    "furniture store": """
order_furniture,buy_furniture|Orders furniture.,Sells a piece of furniture.|item quantity colour|{AN} {some};{I} [order|buy] {some}|{some}, ordered.|chair/table/sofa/lamp/shelf/bed/desk/wardrobe/carpet/mirror
deliver_order,bring_order|Delivers an order.,Brings furniture to a street.|number street day|[bring|deliver] my order;{I} have my order delivered|we bring it {on_day}.
in_stock,check_stock|Tells how many pieces are left.,How many of a thing there are.|item|do you have [any|] {item}s [left|];how many {item}s [are left|do you have]|there are {found}.|=left:count|sofa/desk/bunk bed/bookcase/armchair/stool/cupboard
assemble,send_fitter|Sends somebody who builds the furniture.,A fitter comes to assemble.|street time|can somebody [build|assemble] it;i can't put it together;{AN} help with the assembly|a fitter comes at {time}.""",
    "optician": """
eye_test,book_eye_test|Books an eye test.,Plans a test of the eyes.|day time name|{AN} an eye test;{I} have my eyes tested;i can't see well anymore|your eye test is {on_day}.
order_lenses,send_lenses|Orders contact lenses.,Sends boxes of lenses.|boxes name|{AN} {boxes} boxes of [lenses|contact lenses];{I} order {boxes} boxes of lenses|{boxes} boxes are ordered.
glasses_ready,are_glasses_ready|Tells whether glasses are ready.,The state of an order for glasses.|name|are my glasses [ready|done|there];can i pick up my glasses|they are {found}.|=status:ready/not ready/ready tomorrow/still in the workshop
repair_glasses,fix_glasses|Repairs glasses.,Takes glasses for repair.|what name|the {what} of my glasses is [broken|loose|lost];my {what} is broken|we repair the {what}.|frame/left lens/right lens/hinge/nose pad/screw""",
    "locksmith": """
open_door,emergency_opening|Sends somebody to open a door.,Opens a locked door at once.|street|i'm locked out;i lost my keys;[can somebody|please] open my door;i can't get into my house|somebody is on the way.
copy_key,duplicate_key|Copies keys.,Makes copies of a key.|quantity name|{AN} a copy of my key;{I} have a key copied;copy my key|your key will be copied.
change_lock,new_lock|Changes a lock.,Fits a new lock at a door.|door day|{AN} a new lock [for|at] the {door};change the lock of the {door}|we change the lock.
price_of_lock,lock_price|Tells the price of a lock.,What a kind of lock costs.|what|what does a {what} cost;how much is a {what}|it is {found} dollars.|=price:money|door lock/safe lock/bike lock/window lock/padlock""",
    "cleaning company": """
order_cleaning,book_cleaner|Sends cleaners to an address.,Plans a cleaning.|street day hours|{AN} somebody to clean;{I} have my flat cleaned;can you clean my house|the cleaners come {on_day}.
clean_windows,window_cleaning|Cleans windows.,Has windows cleaned.|windows street|{AN} {windows} windows cleaned;[clean|wash] my {windows} windows|we clean {windows} windows.
complain,note_complaint|Notes a complaint.,Writes down what was not clean.|what name|the {what} is [still|] [not clean|dirty];your people forgot the {what}|i noted the {what}.|kitchen floor/bathroom/oven/staircase/balcony/windows
stop_contract,end_contract|Ends a contract.,Stops the regular cleaning.|number|{I} [end|stop|cancel] my contract;please stop the cleaning|the contract ends.""",
    "dance school": """
join_class,enrol|Enrols somebody in a dance class.,A place in a class.|what name|{I} [learn|join the class for] {what};{AN} a place in the {what} class|you are in the {what} class.|salsa/tango/ballet/waltz/hip hop/tap dance/swing/flamenco
trial_lesson,try_lesson|Plans a trial lesson.,A first lesson for free.|what day name|{I} try {what};{AN} a trial lesson [in|of] {what}|your trial lesson is {on_day}.|salsa/tango/ballet/waltz/hip hop/tap dance/rumba
class_time,when_is_class|Tells when a class begins.,The time of a class.|what|when [is|does] the {what} class [start|begin];what time is {what}|it begins at {found}.|=time:time|salsa/tango/ballet/waltz/hip hop
leave_class,quit_class|Ends the place in a class.,Takes somebody out of a class.|name|{I} leave my class;i can't dance anymore take me off;i don't want to come to the class anymore|you are off the list.""",
    "marina": """
reserve_berth,book_berth|Reserves a berth for a boat.,A place for a boat in the harbor.|boat nights day|{AN} a [berth|place] for my boat;is there room for my boat|a berth for the {boat} is reserved.
order_fuel,refuel|Orders fuel to a berth.,Brings fuel to a boat.|litres berth|{AN} {litres} litres of [fuel|diesel];[bring|send] {litres} litres of fuel|{litres} litres for berth {berth}.
tide_time,next_tide|Tells the time of high water on a day.,When the tide is high.|day|when is high [water|tide] {on_day};what about the tide {on_day}|high water is at {found}.|=time:time
crane,lift_boat|Lifts a boat out of the water.,Plans the crane for a boat.|boat day time|{I} have my boat lifted;{AN} the crane;my boat has to come out of the water|the crane is yours at {time}.""",
    "internet provider": """
report_outage,no_internet|Reports that the internet does not work.,Opens a ticket for an outage.|number street|my internet [is down|does not work|stopped];i have no internet|i opened a ticket.
change_plan,switch_plan|Changes the plan of a customer.,Another plan for a number.|number what|{I} [change|switch] to the {what} plan;{AN} the {what} plan|you have the {what} plan.|small/family/business/student/fast/unlimited/night
send_router,new_router|Sends a router.,A new router for an address.|street name|{AN} a new router;my router is broken;send me a router|a router is on its way.
data_left,check_data|Tells how much data is left.,The data that a number has left.|number|how much data [do i have|is] left;check my data|you have {found} gigabytes.|=gigabytes:count""",
    "catering company": """
order_catering,plan_buffet|Orders food for guests.,Plans a buffet.|what people day street|{AN} a {what};{I} order a {what};we are having a party and need a {what}|the {what} for {people} is planned.|cold buffet/barbecue/breakfast buffet/wedding dinner/cheese platter/brunch
menu_price,price_per_guest|Tells the price of a menu for a guest.,What a menu costs.|what|what does the {what} cost;how much is the {what}|it is {found} dollars.|=price:money|cold buffet/barbecue/wedding dinner/brunch/vegetarian menu
note_allergy,add_allergy|Notes an allergy for an order.,A guest cannot eat something.|number what|[somebody|a guest|one of us] can't eat {what};there is an allergy to {what}|no {what}, i noted it.|nuts/milk/eggs/fish/wheat/soy/celery
rent_tables,rent_dishes|Rents dishes and tables.,Lends things for a party.|item quantity day|{AN} {some};{I} rent {some}|{some}, reserved.|table/chair/wine glass/plate/tablecloth/grill/tent""",
    "zoo": """
buy_tickets,zoo_tickets|Sells tickets for the zoo.,Tickets for a day.|adults children day|{AN} tickets for {adults} adults and {children} children;{adults} adults and {children} children please|tickets for {adults} adults and {children} children.
feeding_time,when_feeding|Tells when an animal is fed.,The feeding time of an animal.|animal|when [are|do you feed] the {animal}s [fed|];what time do the {animal}s eat|at {found}.|=time:time
adopt_animal,sponsor|Notes a sponsor for an animal.,Somebody pays for an animal.|animal money name|{I} [adopt|sponsor] a {animal}|you now sponsor a {animal}.
lost_child,report_lost|Reports a lost child.,Looks for a child in the zoo.|child|i can't find my [son|daughter|child] {child};we lost {child}|we are looking for {child}.""",
    "real estate agency": """
plan_viewing,book_viewing|Plans a visit to a flat.,A visit to see a house.|street day time name|{I} [see|visit|look at] the [flat|house];{AN} a viewing|you can see it {on_day} at {time}.
rent_of_flat,monthly_rent|Tells the rent of a flat.,What a flat costs each month.|street|[how much|what] is the rent;what does the flat cost|it is {found} dollars a month.|=rent:money
report_damage,tenant_damage|Reports damage in a flat.,Something in a flat is broken.|what street|the {what} is broken;my {what} [does not work|leaks]|somebody will look at the {what}.|heating/window/front door/boiler/roof/lift/doorbell
end_lease,give_notice|Ends a lease.,Gives notice for a flat.|name month|{I} [move out|end my lease|give notice] in {month}|your lease ends in {month}.""",
    "travel agency": """
plan_trip,book_trip|Plans a trip to a city.,Books a trip.|city people day name|{I} [go|travel] to {city};{AN} a trip to {city}|your trip to {city} is booked.
travel_insurance,insure_trip|Sells insurance for a trip.,Insures a trip.|number days|{AN} [insurance|travel insurance] for {days} days;{I} insure my trip for {days} days|you are insured.
visa_question,need_visa|Tells whether a visa is needed for a country.,The visa rule of a country.|country|do i need a visa for {country};can i go to {country} without a visa|{found}.|=visa:no visa is needed/a visa is needed/you get a visa at the airport
weather_at,weather_there|Tells the weather in a city.,How the weather is in a city.|city|how is the weather in {city};is it [warm|cold|raining] in {city}|it is {found}.|=weather:sunny/raining/cloudy/cold/warm/windy""",
    "blood bank": """
plan_donation,book_donation|Plans a donation of blood.,A time to give blood.|day time name|{I} [give|donate] blood;{AN} a time to give blood|you can give blood {on_day} at {time}.
next_donation,may_donate|Tells when somebody may give blood again.,The day of the next donation.|name|when [can|may] i give blood again;when is my next donation|on {found}.|=day:day
blood_group,find_group|Tells the blood group of a donor.,The blood group for a donor number.|number|what is my blood group;tell me my blood group|it is {found}.|=group:A positive/A negative/B positive/zero positive/zero negative
send_card,new_donor_card|Sends a new donor card.,A new card for a donor.|name street|i lost my [donor card|card];{AN} a new card|a new card is on its way.""",
}
POOLS = {
    "colour": "red|blue|black|blond|brown|green|white|silver|dark brown|purple|yellow|grey", "door": "front door|back door|cellar door|garage door|office door|garden gate", "boat": "sailing boat|motor boat|yacht|fishing boat|catamaran|rowing boat",
    "animal": "lion|elephant|penguin|seal|tiger|monkey|bear|giraffe|otter|parrot|wolf", "child": "Ben|Lucy|Tim|Mia|Leo|Ella|Max|Nina", "month": "January|February|March|April|May|June|July|August|September|October|November|December",
    "country": "India|China|Brazil|Egypt|Canada|Japan|Kenya|Vietnam|Cuba|Australia|Morocco|Peru",
}
COUNTED = ("boxes", "hours", "windows", "litres", "berth", "adults", "children", "days")
ASKED = {"boxes": "How many boxes?", "hours": "For how many hours?", "windows": "How many windows?", "litres": "How many litres?", "berth": "Which berth?", "adults": "How many adults?", "children": "How many children?", "days": "For how many days?"}


def own_slot(name: str) -> Slot:
    if name in COUNTED:
        tail = "at berth {berth}" if name == "berth" else f"for {{{name}}} {name}"
        return Slot((name, name, f"number_of_{name}" if name != "berth" else "berth_number"), tail, f"{{{name}}}|{{{name}}} {name}" if name != "berth" else "berth {berth}|{berth}", ASKED[name], f"{{{name}}} {name}")
    tails = {"colour": "in {colour}", "boat": "for a {boat}", "month": "in {month}", "child": "{child}"}
    return Slot((name, name, "color" if name == "colour" else f"which_{name}"), tails.get(name, f"the {{{name}}}"), f"{{{name}}}|the {{{name}}}" if name not in ("child", "country", "month", "colour") else f"{{{name}}}", f"[Which {name}|Which {name} is it]?", f"{{{name}}}")


def matter(line: str) -> Matter:
    names, said, slots, wants, reply, *more = line.split("|") if "[" not in line else split(line)
    finds, pool = None, ()
    for part in more:
        if part.startswith("="):
            key, _, kind = part[1:].partition(":")
            finds = (key, kind)
        else:
            pool = tuple(part.split("/"))
    wanted = words("|".join(wants.replace("{AN}", AN).replace("{I}", I).split(";")))
    own = {slot: own_slot(slot) for slot in slots.split() if slot in POOLS or slot in COUNTED}
    optional = ("quantity",) if "quantity" in slots.split() else ()
    return Matter(tuple(names.split(",")), tuple(f"{one.strip().rstrip('.')}." for one in said.split(".,")), tuple(slots.split()), wanted, reply, optional=optional, pool=pool, finds=finds, own=own)


def split(line: str) -> list[str]:
    """Parts between bars that are not inside brackets."""
    parts, depth, part = [], 0, ""
    for character in line:
        depth += (character == "[") - (character == "]")
        if character == "|" and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    return [*parts, part]


TRADE_DESKS = {kind: tuple(matter(line) for line in lines.strip().splitlines()) for kind, lines in TRADES.items()}
