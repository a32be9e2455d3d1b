"""Words and names that generated documents are made of."""


def _listed(text: str) -> tuple[str, ...]:
    return tuple(" ".join(each.split()) for each in text.split(","))


WORDS = _listed("""
    about, above, accept, account, across, action, address, advance, against, airport, almost, already,
    although, always, amount, ancient, animal, another, answer, anything, apple, around, arrive, article,
    attention, autumn, average, balance, basket, battery, beautiful, because, become, before, beginning,
    behind, believe, bell, beneath, between, beyond, bicycle, board, bottle, bottom, branch, bread,
    breakfast, bridge, bright, bring, brother, building, business, butter, button, candle, capital,
    captain, careful, carpenter, carriage, castle, centre, certain, chair, chance, change, charge, cheese,
    chicken, choice, circle, city, clean, clever, clock, clothes, cloud, coast, coffee, collect, colour,
    common, company, compare, complete, condition, connect, consider, contain, continue, copper, corner,
    correct, cotton, country, course, cover, creature, crowd, current, curtain, daughter, decide, degree,
    delicate, department, describe, desert, detail, different, difficult, dinner, direction, discover,
    distance, doctor, dream, early, earth, east, educate, effect, eight, electric, elephant, empty,
    engine, enough, entrance, envelope, equal, evening, every, example, exchange, exercise, expect,
    experience, explain, family, famous, farmer, feather, fellow, festival, field, figure, finger, finish,
    flower, follow, forest, forward, frequent, friend, fruit, furniture, garden, general, gentle, glass,
    gold, grammar, great, green, ground, guess, guide, hammer, happen, harbour, harvest, heart, heavy,
    history, holiday, honest, horse, hospital, however, hundred, husband, imagine, important, increase,
    industry, insect, inside, instead, instrument, interest, iron, island, jewel, journey, judge, keep,
    kettle, kitchen, knowledge, ladder, language, large, laugh, leather, letter, library, lift, listen,
    little, lock, lucky, machine, manner, market, marriage, material, measure, medicine, meeting, memory,
    message, metal, middle, military, minute, mirror, modern, moment, monkey, month, morning, mother,
    mountain, muscle, music, narrow, natural, necessary, needle, neighbour, nerve, night, noise, normal,
    north, nothing, notice, number, object, observe, office, often, operation, opinion, orange, order,
    ordinary, organ, ornament, outside, owner, paint, paper, parallel, parcel, partner, patience, peace,
    pencil, perhaps, person, picture, plant, plate, pleasure, pocket, police, polite, porter, position,
    possible, potato, powder, present, price, print, prison, private, probable, process, produce, profit,
    property, prose, protest, public, purpose, quality, question, quiet, railway, reaction, reading,
    reason, receipt, record, regret, regular, relation, religion, request, respect, reward, rhythm, river,
    round, sailor, science, scissors, season, second, secret, secretary, selection, sentence, separate,
    serious, servant, seven, shelf, shirt, shoulder, silver, simple, sister, skirt, sleep, smile, smoke,
    smooth, society, soldier, south, spring, square, stamp, station, stocking, stomach, strange, street,
    strong, structure, substance, sudden, sugar, suggest, summer, support, surprise, sweet, system,
    teacher, tendency, theory, thought, thread, through, thunder, ticket, together, tomorrow, touch,
    trade, train, transport, travel, treasure, trouble, trousers, umbrella, uncle, under, unit, valley,
    value, vessel, village, violent, voice, waiting, warm, water, weather, weight, whistle, white, window,
    winter, woman, wonder, wooden, writing, yellow, yesterday, young
""")
"""Everyday words, a little over six letters long on average."""

FIRST_NAMES = _listed("""
    Ada, Aino, Akira, Alice, Amara, Ana, Anders, Anna, Bela, Birgit, Carlos, Chen, Clara, Dana, David,
    Elena, Elif, Emil, Emma, Farid, Fatima, Felix, Femi, Freya, Gustav, Hana, Hans, Helena, Hugo, Ida,
    Imran, Ines, Ingrid, Ivan, Jan, Jonas, José, Julia, Kai, Kofi, Lara, Lars, Leila, Lena, Luis, Maja,
    Marco, Maria, Mei, Milan, Mina, Nadia, Nils, Nora, Olga, Omar, Oskar, Paula, Pedro, Petra, Priya,
    Rafael, Ravi, René, Rosa, Samir, Sara, Sofia, Søren, Stefan, Tariq, Tomás, Ursula, Vera, Viktor, Wei,
    Yara, Yuki, Zoë
""")
LAST_NAMES = _listed("""
    Abbas, Adeyemi, Ahmed, Almeida, Andersen, Bakker, Banerjee, Baumann, Becker, Berg, Bianchi, Boateng,
    Bondar, Bruun, Castro, Cohen, Costa, Dahl, Diallo, Dubois, Eriksen, Esposito, Fernandes, Fischer,
    Fontaine, García, Gupta, Haas, Haddad, Hansen, Hoffmann, Horvat, Ito, Ivanova, Jansen, Jensen, Kaya,
    Keller, Khan, Kim, Kovács, Kowalski, Kumar, Larsen, Lehmann, Lindqvist, López, Madsen, Martin, Mensah,
    Meyer, Moreau, Müller, Nakamura, Nguyen, Nielsen, Novak, Okafor, Olsen, Papadakis, Park, Patel,
    Petrov, Popescu, Ricci, Rossi, Sato, Schmidt, Silva, Singh, Sørensen, Suzuki, Szabó, Tanaka, Torres,
    Varga, Virtanen, Wagner, Walker, Wang, Weber, Yamada, Yılmaz, Zhang, Zimmer
""")
COUNTRIES = _listed("""
    Argentina, Australia, Austria, Bangladesh, Belgium, Brazil, Canada, Chile, Denmark, Dominican
    Republic, Egypt, Finland, France, Germany, Ghana, Greece, Hungary, Iceland, India, Indonesia, Ireland,
    Italy, Japan, Kenya, Luxembourg, Malaysia, Mexico, Morocco, Netherlands, New Zealand, Nigeria, Norway,
    Papua New Guinea, Peru, Philippines, Poland, Portugal, Romania, Saudi Arabia, Senegal, Singapore,
    South Africa, Spain, Sweden, Switzerland, Trinidad and Tobago, Turkey, United Arab Emirates, Uruguay,
    Vietnam
""")
CITIES = _listed("""
    Accra, Athens, Berlin, Boston, Bruges, Cairo, Dublin, Geneva, Hamburg, Hanoi, Helsinki, Lagos, Lima,
    Lisbon, London, Lyon, Madrid, Milan, Montreal, Mumbai, Nairobi, Oslo, Ottawa, Paris, Porto, Prague,
    Quito, Rome, Seoul, Sydney, Tallinn, Tokyo, Toronto, Turin, Vienna, Warsaw, Zurich
""")
PROVINCES = _listed("""
    Alberta, Bavaria, Brittany, Galicia, Manitoba, Minnesota, Oregon, Tuscany, Vermont
""")
